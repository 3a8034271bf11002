"""`FilterQuery`: the words typed after `/`. All must occur in a row; a word after `!` must not."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FilterQuery", "parse_filter"]


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """Case-folded words that must, and words that must not occur. Empty: everything matches."""

    words: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.excluded)

    def __str__(self) -> str:
        return " ".join([*self.words, *(f"!{word}" for word in self.excluded)])

    def matches(self, text: str) -> bool:
        """Tell whether a case-folded text has all words and none of the excluded."""
        return all(word in text for word in self.words) and not any(word in text for word in self.excluded)


def parse_filter(text: str) -> FilterQuery:
    """Read what was typed: substrings between blanks, `!` excludes; a lone `!` says nothing yet."""
    parts = text.casefold().split()
    excluded = tuple(part[1:] for part in parts if part.startswith("!") and len(part) > 1)
    return FilterQuery(tuple(part for part in parts if not part.startswith("!")), excluded)
