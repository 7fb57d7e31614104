"""The section of remarkable games: drawn, and as pages to step through, from their records and without compiling."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mmsim.analysis.surprises import Surprise
from mmsim.batch.win_chances import chances_of
from mmsim.core.shell import Draws, Replays
from mmsim.games import find_shell
from mmsim.report.page_model import Picture, Section
from mmsim.report.report_data import Evidence
from mmsim.report.sentence_templates import capital


def remarkable_games(evidence: Evidence) -> Section | None:
    """Games worth a look; None if there is none."""
    if not evidence.surprises:
        return None
    pictures = []
    for one in evidence.surprises:
        found = one.found
        caption = f"{capital(found.text)} ({evidence.name_of(one.variant.name)}, game {found.game:,})."
        pictures.append(Picture(f"The {found.kind} game", caption, one.command, _drawing(one), _replaying(one)))
    text = []
    if not all(one.record for one in evidence.surprises):
        again = f"mmsim resume {evidence.run.folder.name}"
        text = [f"Games whose records this run does not have are not drawn; “{again}” writes those of a whole run."]
    return Section("surprises", "Surprises", "Games worth a look", text, [], [], pictures)


def _drawing(one: Surprise) -> Callable[[], bytes] | None:
    """How the end of a game is drawn from its record; None where there is none or nothing to draw it."""
    game, record = one.run.experiment.game, one.record
    return partial(_draw, game, record) if record is not None and isinstance(find_shell(game), Draws) else None


def _draw(game: str, record: dict[str, Any]) -> bytes:
    shell = find_shell(game)
    assert isinstance(shell, Draws)
    return shell.picture(record)


def _replaying(one: Surprise) -> Callable[[], bytes] | None:
    """How the page of a game is made from its record, with chances to win only if the run has them."""
    game, record = one.run.experiment.game, one.record
    if record is None or not isinstance(find_shell(game), Replays):
        return None
    known = chances_of(one.run.folder, one.variant.name, one.found.game)
    return partial(_replay, game, record, () if known is None else known.tolist())


def _replay(game: str, record: dict[str, Any], chances: Sequence[Sequence[float]]) -> bytes:
    shell = find_shell(game)
    assert isinstance(shell, Replays)
    from mmsim.report.replay_page import page  # matplotlib takes a moment to import; only what draws pays for it

    return page(replace(shell.replay(record), chances=chances)).encode()
