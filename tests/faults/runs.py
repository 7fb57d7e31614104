"""The run that faults are injected into: two variants of quick games in many small parts."""


def run_words(games: int, part_games: int) -> tuple[str | int, ...]:
    """The arguments of `mmsim run`."""
    variants = ("--rules", "print", "--rules", "print+loyal", "--bots", "uniform", "--seed", 7)
    return (*variants, "--games", games, "--part-games", part_games)
