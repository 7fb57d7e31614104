"""A game to step through as one page that needs nothing else."""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mmsim.core.shell import Replay
from mmsim.drawing import animation


def page(replay: Replay) -> str:
    """The page: the board with all its moments, what happened at each, and the script that goes through them."""
    environment = Environment(
        loader=PackageLoader("mmsim.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    svg = animation.svg(replay.film).decode()
    return environment.get_template("replay.html").render(
        replay=replay,
        board=Markup(svg[svg.index("<svg") :]),  # drawn by us: names in it are escaped
        data=Markup(_script_data(replay)),
    )


def _script_data(replay: Replay) -> str:
    """What the script of the page needs to know, as JSON that cannot end its script early."""
    data: dict[str, Any] = {
        "players": [seat.player for seat in replay.seats],
        "colours": [seat.colour for seat in replay.seats],
        "hidden": replay.hidden,
        "moments": [[m.turn, m.seat, m.text, list(m.points), list(m.hands)] for m in replay.moments],
        "chances": [
            [round(chance, 3) for chance in replay.chances_at(moment)]
            for moment in range(len(replay.moments) if replay.chances else 0)
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
