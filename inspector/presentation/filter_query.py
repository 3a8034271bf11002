"""`FilterQuery`: the words typed after `/`. All must occur in a row; a word after `!` must not; `=17` is rank 17."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FilterQuery", "exactly", "parse_filter"]


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """Case-folded words that must, and words that must not occur. Empty: everything matches."""

    words: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.excluded)

    def __str__(self) -> str:
        return " ".join([*map(str.strip, self.words), *(f"!{word.strip()}" for word in self.excluded)])

    def matches(self, text: str) -> bool:
        """Tell whether a case-folded text has all words and none of the excluded."""
        return all(word in text for word in self.words) and not any(word in text for word in self.excluded)


def exactly(value: object) -> str:
    """Return what a text holds so that `=value` finds this value and no longer one."""
    return f"\n={value}\n"


def parse_filter(text: str) -> FilterQuery:
    """Read what was typed: substrings between blanks, `!` excludes; a lone `!` or `=` says nothing yet."""
    parts = text.casefold().split()
    words = map(_word, (part for part in parts if not part.startswith("!")))
    excluded = map(_word, (part[1:] for part in parts if part.startswith("!")))
    return FilterQuery(tuple(filter(None, words)), tuple(filter(None, excluded)))


def _word(part: str) -> str:
    return exactly(part[1:]) if len(part) > 1 and part.startswith("=") else part.removeprefix("=")
