"""What both games stand on."""
