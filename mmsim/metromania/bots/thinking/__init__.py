"""How bots think, compiled: what a player may see, distances, whole turns weighed by features, search."""
