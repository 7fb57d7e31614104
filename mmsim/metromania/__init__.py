"""Metromania: the subway game of six districts, eight lines and seven test trips."""
