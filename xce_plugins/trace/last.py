"""A function that does not work out again what it is asked twice in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class Last(Generic[Asked, Answer]):
    """Answers as *work* does; if the same object is asked about again, with the same answer.

    The object must not have changed in between.
    """

    __slots__ = ("_answer", "_asked", "_work")

    def __init__(self, work: Callable[[Asked], Answer]) -> None:
        self._work = work
        self._asked: Asked | None = None
        self._answer: Answer

    def __call__(self, asked: Asked) -> Answer:
        """What *work* says of *asked*."""
        if asked is not self._asked:
            self._answer = self._work(asked)
            self._asked = asked
        return self._answer
