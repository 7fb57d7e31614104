"""A third game, added as docs/adding-a-game.md says: nothing in `mmsim` knows of it."""
