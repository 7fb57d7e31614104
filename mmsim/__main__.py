from mmsim.system.module_path import forget_current_folder

forget_current_folder()  # before anything else is imported

from mmsim.cli.app import main  # noqa: E402

main()
