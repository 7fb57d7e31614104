"""What several tests of the command line start from."""

import pytest

from mmsim.system.files import data_folder
from tests.batch.conftest import toy_game as toy_game


@pytest.fixture
def board_text() -> str:
    """A good board file, to spoil."""
    return (data_folder("boards") / "compact.toml").read_text(encoding="utf-8")
