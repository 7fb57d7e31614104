"""The run that faults befall: two variants of quick games, in parts so small that there are many."""


def run_words(games: int, part_games: int) -> tuple[str | int, ...]:
    """What follows `mmsim run` on the command line."""
    variants = ("--rules", "print", "--rules", "print+loyal", "--bots", "uniform", "--seed", 7)
    return (*variants, "--games", games, "--part-games", part_games)
