"""The user interface of the game: stories, pictures, records, commands."""
