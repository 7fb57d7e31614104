"""Libraries that only some commands need: the extras of the package."""

import re
import shlex
from importlib.metadata import PackageNotFoundError, requires

from mmsim.errors import UsageError


def missing_extra(purpose: str, extra: str) -> UsageError:
    """The error for a library that is not installed; it names the command that installs it.

    That is not `pip install 'mmsim[...]'`: mmsim is on no public index, and somebody else's package might be.
    """
    try:
        declared = requires("mmsim") or []
    except PackageNotFoundError:  # a checkout that is not installed
        declared = []
    needs = [line.partition(";")[0].strip() for line in declared if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return UsageError(f"{purpose} the extra mmsim[{extra}]: pip install {shlex.join(needs or [f'.[{extra}]'])}")
