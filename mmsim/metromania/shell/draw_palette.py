"""The colours of all drawings of Metromania; distinguishable for colour-blind readers (after Okabe and Ito)."""

FRAME = "#E9E3D6"
FRAME_CELL = "#F6F2E9"

KIND_FILL = {".": "#FDFBF5", "R": "#F8E27A", "C": "#F4B592", "E": "#DCC9EE", "L": "#6FB4E4", "P": "#A8D8C0"}
KIND_INK = {"R": "#6B5500", "C": "#7A3512", "E": "#553382", "L": "#0F4A75", "P": "#1E5F45"}

ROUTE = "#FFD54A"  # of the fastest routes of a test trip

COMPANY_NAMES = ("Blue", "Orange", "Black", "Purple")  # by seat
COMPANY = ("#0B5FB0", "#D8470A", "#1F1F1F", "#AA3377")
TERMINAL_COMPANY = (*COMPANY[:2], "#707070", *COMPANY[3:])  # black is invisible on a dark screen
