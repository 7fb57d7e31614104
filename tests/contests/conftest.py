"""The toy game of the tests of batches."""

from tests.batch.conftest import toy_game

__all__ = ["toy_game"]
