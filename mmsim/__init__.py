"""mmsim: is this variant fair, and is it more fun?"""

__version__ = "0.1.0"
