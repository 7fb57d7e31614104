"""Files, processes and what else the operating system offers."""
