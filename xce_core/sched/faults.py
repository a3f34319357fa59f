"""What the code of a plugin may do wrong: which exceptions are its own, and how they are told."""

from __future__ import annotations

FAULTS = (Exception, SystemExit)
"""What a plugin's code may raise. A plugin has no say in when the program ends, so that an exit
counts as a fault like any other; an interrupt or a signal is nobody's fault."""


def describe(error: BaseException) -> str:
    """An exception in one line, for the person who wrote the code that raised it.

    Never raises, whatever the exception makes of its own text.
    """
    name = type(error).__name__
    try:
        text = " ".join(str(error).split())
    except FAULTS:
        text = "(it can't be put in words)"
    return f"{name}: {text}" if text else name


def in_words(value: object, most: int = 200) -> str:
    """What a plugin gave, in one line of at most *most* characters; never raises."""
    try:
        return " ".join(repr(value).split())[:most]
    except FAULTS:
        return f"something of type {type(value).__name__}"


class Endless(Exception):
    """A plugin gives more and more of what should come to an end."""
