"""Who plays: the bots of one table, or a panel of several kinds of players."""

from typing import Annotated, Any

import typer

from mmsim.batch.experiment import Experiment, ignored_knobs, named_panel, thinned, usual_panel, variants_of
from mmsim.cli import completion
from mmsim.cli.common import say
from mmsim.errors import UsageError

Bots = Annotated[
    str | None,
    typer.Option(
        metavar="LIST", help="One table of bots instead of a panel: one for every seat, or one a seat, with commas."
    ),
]
PanelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--panel",
        metavar="BOT",
        autocompletion=completion.bots,
        help="A kind of players that plays every variant; repeat it, or name a ready panel: strong, small.",
    ),
]


def chosen(game: str, bots: str | None, panel: list[str] | None) -> dict[str, Any]:
    """The players of an experiment, as somebody named them; if nobody did, the usual panel of the game."""
    if bots and panel:
        raise UsageError("--bots seats one table and --panel asks several kinds of players; give one of them")
    if bots:
        return {"bots": bots, "panel": ()}
    return {"bots": "", "panel": named_panel(game, panel) if panel else usual_panel(game)}


def only_evidence(asked: Experiment) -> Experiment:
    """An experiment without the members to whom all its variants are the same; refused if none is left."""
    refusals = {member: _refusal(asked, member) for member in asked.members}
    left = [member for member, refusal in refusals.items() if not refusal]
    if not left:
        raise UsageError(next(iter(refusals.values())))
    for refusal in filter(None, refusals.values()):
        say(f"{refusal}; it is left out", err=True)
    return asked if len(left) == len(asked.members) else asked.with_members(left)


def _refusal(asked: Experiment, member: str) -> str:
    """Why a member can tell nothing of the variants; empty if it can."""
    first, *others = asked.variants
    ignored = [ignored_knobs(asked.game, member, first, other, asked.players) for other in others]
    if len(asked.boards) > 1 or not ignored or not all(ignored):
        return ""
    knobs = ", ".join(dict.fromkeys(knob for names in ignored for knob in names))
    return (
        f"{member} is no evidence here: {first} and {', '.join(others)} differ in {knobs}, which it takes no notice of"
    )


def games_of_members(asked: Experiment) -> str:
    """How many games of every variant each member plays, where that is not the same for all."""
    every = thinned(asked)
    if len({*every}) == 1:
        return ""
    cells = len(variants_of(asked)) // len(every)
    parts = [f"{member} {-(-asked.games // one):,}" for member, one in zip(asked.members, every, strict=True)]
    return f"games of each of {cells} variant{'s' * (cells != 1)}, fewer of slow players: {'; '.join(parts)}"
