"""What all games share."""
