"""A third game, added as docs/adding-a-game.md says; nothing in `mmsim` refers to it."""
