"""The colours of Metro's wagons as the book names them, darkened or lightened to be distinguishable."""

OWNER = ("#D9A400", "#0B5FB0", "#D8470A", "#2E8B57", "#8A3FA0", "#1F1F1F", "#C2185B", "#8C8C8C")
TERMINAL_OWNER = (*OWNER[:5], "#707070", *OWNER[6:])  # black is invisible on a dark screen
CELL, CENTRE, BORDER = "#FDFBF5", "#E9E3D6", "#F6F2E9"
GRID, TRACK, UNOWNED = "#E4DFD3", "#C6BEAE", "#8F887B"  # between cells; a track nobody uses; a line nobody owns
