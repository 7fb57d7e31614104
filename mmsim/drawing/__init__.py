"""The drawing code that all games share."""
