"""A third game, added as docs/how-to/adding-a-game.md says; nothing in `mmsim` refers to it."""
