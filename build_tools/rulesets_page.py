"""`docs/reference/rulesets.md`: how a ruleset is written, and every edition, modifier and knob."""

from build_tools.markdown import SHIPPED, ask, code, table

_HEAD = """\
# Rulesets and knobs

A ruleset is written `EDITION[+MODIFIER...][,knob=value...]`, for example `print+loyal,end_lines=6`. An edition is
nothing but a set of knob values; a modifier changes some of them, and knobs of your own come last. What an edition does
not offer is refused with a sentence that says what it does offer.

`mmsim rules list` prints these tables, `mmsim rules show SPEC` every knob of a ruleset, `mmsim rules diff SPEC SPEC`
what differs, and `mmsim rules explain ID` a rule. What the rules say is on two pages of their own,
[Metromania](../rules/metromania.md) and [Metro](../rules/metro.md); [Rules of your own](../how-to/own-rules.md) shows
how to use all this. Written by `make docs`; do not edit.
"""
_NOTES = {
    "metromania": """\
Without `regular` or `advanced`, two players get the first way their edition offers; with one of them, two players are
meant. Without `hidden`, `loyal` or `no-corruption` hands are as the edition has them.
""",
    "metro": """\
2 to 6 players, 4 if nothing is said. Modules go together as the book says and in no other way (X19): `companies` with
`stations` or `central`, `numbers` with `stations` or `central`.
""",
}


def page() -> str:
    return _HEAD + "".join(_game_section(game) for game in SHIPPED)


def _game_section(game: str) -> str:
    listed = ask("rules", "list", "--game", game)
    books = listed.get("editions", [])
    editions = [book["edition"] for book in books] or [game]
    values = [ask("rules", "show", edition)["knobs"] for edition in editions]
    knobs = [
        (
            code(row["knob"]),
            row["values"],
            *(_word(knobs[row["knob"]]) for knobs in values),
            row["rules"],
            row["meaning"],
        )
        for row in listed["knobs"]
    ]
    columns = ("knob", "values", *map(code, editions), "rules", "meaning")
    modifiers = [(_codes(row["modifier"]), row["meaning"]) for row in listed["modifiers"]]
    parts = [
        table(tuple(books[0]), [(code(book["edition"]), *[*book.values()][1:]) for book in books]) if books else "",
        table(("modifier", "meaning"), modifiers),
        _NOTES[game],
        table(columns, knobs),
    ]
    return f"\n## {game.capitalize()}\n\n" + "\n".join(filter(None, parts))


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _codes(names: str) -> str:
    return " or ".join(code(name) for name in names.split(" or "))
