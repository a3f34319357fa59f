"""Reading what stands after a command: words, ids and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from xce_core.model.jobs import format_job_id, parse_job_id
from xce_core.model.ranges import RangeError, unfold_numbers
from xce_core.suggestions import did_you_mean
from xce_repl.interface import CommandError
from xce_repl.names import brief

LISTED = 8
"""How many names a message lists; of more it says how to list them."""

_WORD = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s"']\S*))(?=\s|$)""")
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


def words_of(rest: str) -> list[str]:
    """The words of *rest*; one in quotes may hold blanks, or nothing.

    :raises CommandError: if a quote is not closed at the end of a word.
    """
    found: list[str] = []
    at, end = 0, len(rest.rstrip())
    while at < end:
        match = _WORD.match(rest, at)
        if match is None:
            text = brief(rest[at:].strip())
            raise CommandError(f"expected a closing {text[0]} at the end of a word, found {text}")
        found.append(next(word for word in match.groups() if word is not None))
        at = match.end()
    return found


def words_before(text: str) -> tuple[list[str], str]:
    """The whole words of *text*, and what it has of a word whose quote is not closed yet."""
    found: list[str] = []
    at = 0
    while match := _WORD.match(text, at):
        found.append(next(word for word in match.groups() if word is not None))
        at = match.end()
    return found, text[at:].lstrip()


def arguments(rest: str, usage: str, least: int, most: int) -> list[str]:
    """The words of *rest*, of which there must be so many.

    :raises CommandError: if there are not.
    """
    words = words_of(rest)
    if len(words) > most:
        raise CommandError(f"unexpected {brief(words[most])}; usage: {usage}")
    if len(words) < least:
        raise CommandError(f"usage: {usage}")
    return words


def no_words(rest: str, usage: str) -> None:
    """Nothing may stand there.

    :raises CommandError: if something does.
    """
    arguments(rest, usage, 0, 0)


def word_of(rest: str, usage: str) -> str:
    """The one word of *rest*, which must be there.

    :raises CommandError: if it is not, or not alone.
    """
    return arguments(rest, usage, 1, 1)[0]


def word_if_any(rest: str, usage: str) -> str:
    """The one word of *rest*; empty if there is none.

    :raises CommandError: if there are several.
    """
    return "".join(arguments(rest, usage, 0, 1))


def path_of(rest: str, usage: str) -> str:
    """The path of a file that *rest* is.

    :raises CommandError: if it is none, or has blanks and no quotes.
    """
    words = words_of(rest)
    hint = "; a name with blanks stands in quotes" if len(words) > 1 else ""
    path = word_of(rest, f"{usage}{hint}")
    if not path or "\0" in path:
        found = brief(path) or "nothing"
        raise CommandError(f"expected the name of a file, found {found}; usage: {usage}")
    return path


def quoted(word: str) -> str:
    """*word* as it is to be typed: in quotes where it needs them."""
    if word and not re.search(r"\s", word) and word[0] not in "\"'":
        return word
    return f"'{word}'" if '"' in word else f'"{word}"'


def count_of(text: str, least: int = 1) -> int:
    """The count that *text* is.

    :raises CommandError: if it is none, or out of bounds.
    """
    if not _COUNT.fullmatch(text) or int(text) < least:
        found = brief(text) or "nothing"
        raise CommandError(f"expected a whole number from {least} to 999999999, found {found}")
    return int(text)


def job_id_of(text: str) -> tuple[int, int]:
    """Number and index of the job id that *text* is.

    :raises CommandError: if it is none.
    """
    try:
        if len(text) > 40:
            raise ValueError
        return parse_job_id(text)
    except ValueError:
        found = brief(text) or "nothing"
        raise CommandError(f"expected a job id such as 12 or 12[3], found {found}") from None


def canonical_id(text: str) -> str:
    """*text* as job ids are written.

    :raises CommandError: if it is none.
    """
    return format_job_id(*job_id_of(text))


def known(name: str, names: Collection[str], what: str) -> str:
    """*name*, which must be one of *names*; ``info`` has a topic on *what*.

    :raises CommandError: if it is not.
    """
    if name not in names:
        hint = did_you_mean(name, names) or _there_are(names, what)
        raise CommandError(f"unknown {what} {brief(name) or quoted(name)}{hint}")
    return name


def _there_are(names: Collection[str], what: str) -> str:
    if len(names) > LISTED:
        return f"; info {what} lists them"
    return f"; there are: {', '.join(names)}" if names else "; there are none"


def not_among(word: str, choices: Collection[str]) -> CommandError:
    """The mistake that *word* is, where one of *choices* is expected."""
    found = f"found {brief(word) or 'nothing'}{did_you_mean(word, choices)}"
    return CommandError(f"expected one of {', '.join(choices)}, {found}")


def numbers_of(rest: str) -> list[int]:
    """Numbers and ranges of breakpoints, apart or joined by commas.

    :raises CommandError: if *rest* is anything else.
    """
    try:
        return unfold_numbers(",".join(rest.replace(",", " ").split()), 10_000)
    except RangeError:
        what = "numbers of breakpoints such as 1 3-5"
        raise CommandError(f"expected {what}, found {brief(rest)}") from None


def split_condition(rest: str) -> tuple[str, str]:
    """What stands before and after the word ``if``, which is none in quotes.

    :raises CommandError: if nothing stands after it.
    """
    at = 0
    while match := _WORD.match(rest, at):
        if match[3] == "if":
            condition = rest[match.end() :].strip()
            if not condition:
                raise CommandError("expected a condition after if, found nothing")
            return rest[: match.start()].strip(), condition
        at = match.end()
    return rest.strip(), ""


def columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows as lines with aligned columns, the last one as it is."""
    table = list(rows)
    if not table:
        return []
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]) - 1)]
    return [
        "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]])
        .rstrip()
        for row in table
    ]
