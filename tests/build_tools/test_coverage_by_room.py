"""How `make coverage` counts lines and when it fails."""

from build_tools.coverage_by_room import ROOMS, ROOT, Reached, describe, rooms


def test_every_room_has_files() -> None:
    files = [Reached(path.relative_to(ROOT / "mmsim").as_posix(), 1, 0) for path in (ROOT / "mmsim").rglob("*.py")]
    by_room = rooms(files)
    assert set(by_room) == set(ROOMS)
    assert all(by_room.values())
    assert {file.file.split("/")[0] for file in by_room["engine"]} == {"metro", "metromania"}


def test_a_room_fails_as_a_whole_and_names_its_worst_files() -> None:
    files = [Reached("batch/a.py", 50, 2), Reached("batch/b.py", 50, 9), Reached("report/c.py", 10, 1)]
    lines, failed = describe({room: found for room, found in rooms(files).items() if found})
    assert lines == [
        "batch       89.0 % of 100 lines; most not reached: batch/b.py 9, batch/a.py 2",
        "report      90.0 % of 10 lines; most not reached: report/c.py 1",
    ]
    assert failed == ["batch"]


def test_a_room_without_files_fails() -> None:
    assert describe({"rules": []})[1] == ["rules"]
