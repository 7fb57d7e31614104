"""The pages of the repository, and what they contain: headings, links, commands."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "reports" / "README.md"])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, *languages: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page that are in one of some languages, with their language."""
    return [(kind, code) for kind, code in BLOCK.findall(text_of(name)) if kind in languages]


def prose(name: str) -> str:
    """A page without its fenced blocks and code spans."""
    return re.sub(r"`[^`\n]+`", "", BLOCK.sub("", text_of(name)))


def commands(name: str) -> Iterator[list[str]]:
    """The words after `mmsim` of every command in the shell blocks of a page, without comments and redirections."""
    for _, code in blocks(name, "sh"):
        yield from commands_in(code)


def commands_in(code: str) -> Iterator[list[str]]:
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|(?<!\\)\|(?!\S)", line):
            if match := re.search(r"(?:^|\s)mmsim (?!\[)(.*)", part.split(" # ")[0]):
                words = shlex.split(match[1], comments=True)
                yield words[: words.index(">")] if ">" in words else words


def anchors(name: str) -> set[str]:
    """What a link to a heading may name, as code hosts make it from the heading."""
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} (.*)$", BLOCK.sub("", text_of(name)), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        count = sum(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other) is not None for other in found)
        found.append(f"{slug}-{count}" if count else slug)
    return set(found)
