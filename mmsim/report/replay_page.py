"""The page to step through a game: one HTML file that needs nothing else."""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mmsim.core.replay import Replay
from mmsim.errors import MmsimError


def page(replay: Replay, kind: str = "", report: str = "") -> str:
    """The board at every step of a game, what happened at each, and the script that steps through them.

    `kind` says what is remarkable about the game, `report` is the page to go back to.
    """
    if replay.chances and len(replay.chances) <= replay.steps[-1].turn:
        raise MmsimError("the chances to win that the run has stored are not those of this game")
    environment = Environment(
        loader=PackageLoader("mmsim.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    svg: str = replay.animation().svg()
    return environment.get_template("replay.html").render(
        replay=replay,
        title=f"{kind}: {replay.title}" if kind else replay.title,
        report=report,
        board=Markup(svg[svg.index("<svg") :]),  # names in it are escaped already
        data=Markup(_script_data(replay)),
    )


def _script_data(replay: Replay) -> str:
    """The data of the page's script, as JSON that cannot close the script element."""
    data: dict[str, Any] = {
        "players": [seat.player for seat in replay.seats],
        "colours": [seat.colour for seat in replay.seats],
        "hidden": replay.hidden,
        "moments": [[m.turn, m.seat, m.text, list(m.points), list(m.hands)] for m in replay.steps],
        "chances": [
            [round(chance, 3) for chance in replay.win_chances_at(step)]
            for step in range(len(replay.steps) if replay.chances else 0)
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
