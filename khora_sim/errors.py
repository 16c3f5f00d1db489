"""The one error a user can cause; its message is one line."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

#: Characters that steer a terminal or hide in a text: control, format, surrogates, line and paragraph breaks.
NOT_PRINTED = ("Cc", "Cf", "Cs", "Zl", "Zp")


class UserError(Exception):
    """Something the user can put right; the message says what was wrong, where, and what to type instead."""


def described(problem: BaseException) -> str:
    """Type and text of an exception on one line: `ValueError: no idea`."""
    text = " ".join(str(problem).splitlines())
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest known ones, or all of them where none is near."""
    names = sorted(known)
    close = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    return "known: " + ", ".join(names)


def printable(text: str) -> str:
    """A text that may be a stranger's, safe for a terminal: what does not print is spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(repr(one)[1:-1] if unicodedata.category(one) in NOT_PRINTED else one for one in text)
