"""The command line in a process that serves many commands; it is noticed if it hangs, dies or takes too much."""

import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parent.parent.parent
_ADDRESS_SPACE = 8 << 30  # bytes
_SECONDS = 120.0


@dataclass(frozen=True)
class Answer:
    """What a command came to; no code if it hung or its process died."""

    words: tuple[str, ...]
    code: int | None
    out: str
    err: str

    @property
    def problem(self) -> str | None:
        """What should not have happened."""
        command = " ".join(self.words)
        if self.code is None:
            return f"{command}: hung or died: {self.err[-300:]}"
        for sign in ("internal error", "Traceback", "panicked", "not enough memory"):
            if sign in self.err or sign in self.out:
                return f"{command}: {self.err[-600:].strip()}"
        if self.code not in (0, 1, 2, 130):
            return f"{command}: exit code {self.code}"
        if self.code and not self.err.strip():
            return f"{command}: exit code {self.code} without a word"
        return None


class CommandLine:
    """`mmsim`, loaded once to serve many commands."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, *words: object) -> Answer:
        command = tuple(map(str, words))
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.served"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                preexec_fn=_limited,
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(command).encode() + b"\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], _SECONDS)
            line = process.stdout.readline() if ready else b""
        except OSError:
            line = b""
        if not line:
            self.close()
            return Answer(command, None, "", f"exit code {process.returncode}")
        code, out, err = json.loads(line)
        return Answer(command, code, out, err)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve() -> None:
    """Commands in, exit codes and what they printed out; Rust, too, writes to what are the real streams."""
    from mmsim.cli.commands import app

    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    for line in sys.stdin.buffer:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code: object = 0
            try:
                app(json.loads(line))
            except SystemExit as end:
                code = end.code
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
            answers.write(json.dumps([code, *texts]).encode() + b"\n")


if __name__ == "__main__":
    serve()
