"""Faults on purpose, for as long as one likes: `make faults`, or `python -m tests.faults kills disks --seconds 600`.

Each module has `main(seconds, seed) -> Counts`: it does harm at random until the seconds are over, and counts.
"""
