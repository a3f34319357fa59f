"""Small facts about numbers that mostly lie close together, such as job ids: bits for each."""

from __future__ import annotations

from collections.abc import Iterator

_SHIFT = 12
_PAGE = 1 << _SHIFT
_OFFSET = _PAGE - 1
_FEW = 32

_Page = dict[int, int] | bytearray


class IdTable:
    """Up to eight bits for each number, 0 at first.

    Where many numbers are near each other they take a byte each, gaps included, in pages; a
    page with a few numbers only is a dictionary, so that numbers far apart are no burden.
    """

    __slots__ = ("_pages",)

    def __init__(self) -> None:
        self._pages: dict[int, _Page] = {}

    def get(self, number: int) -> int:
        """The bits of *number*."""
        try:
            return self._pages[number >> _SHIFT][number & _OFFSET]
        except KeyError:
            return 0

    def add(self, number: int, bits: int) -> int:
        """Set *bits* of *number*, beside those that it has; the bits that it had before."""
        offset = number & _OFFSET
        try:
            page = self._pages[number >> _SHIFT]
            before = page[offset]
        except KeyError:
            page, before = self._room(number >> _SHIFT), 0
        page[offset] = before | bits
        return before

    def items(self) -> Iterator[tuple[int, int]]:
        """Each number that has any bits, in order, with them."""
        for place in sorted(self._pages):
            page = self._pages[place]
            pairs = sorted(page.items()) if isinstance(page, dict) else enumerate(page)
            for offset, bits in pairs:
                if bits:
                    yield place << _SHIFT | offset, bits

    def _room(self, place: int) -> _Page:
        """The page at *place*, with room for one number more."""
        page = self._pages.get(place)
        if page is None:
            page = self._pages[place] = {}
        elif len(page) == _FEW and isinstance(page, dict):
            few, page = page, bytearray(_PAGE)
            for offset, bits in few.items():
                page[offset] = bits
            self._pages[place] = page
        return page
