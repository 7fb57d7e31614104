"""Faults on purpose, for as long as one likes: `make faults`, or `python -m tests.faults kills disks --seconds 600`.

Each module has `main(seconds, seed) -> Counts`: it injects faults at random until the time is up, and counts them.
"""
