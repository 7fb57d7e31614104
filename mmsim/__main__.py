from mmsim.cli.app import main

main()
