"""How bots think, compiled: what a player may see, and what a move is worth."""
