"""Print one line a case and a table of the outcomes; exit 1 when an answer is wrong."""

from __future__ import annotations

import sys
from collections import Counter

from tests.evaluation.cases import all_cases
from tests.evaluation.scoring import judge_case, score


def main(wanted: list[str]) -> int:
    """Run the cases whose title holds one of the words (none given: all of them)."""
    outcomes: dict[str, Counter[str]] = {}
    for case in all_cases():
        if wanted and not any(word in case.title for word in wanted):
            continue
        attempt, verdict = judge_case(case)
        outcome = score(case, attempt, verdict)
        outcomes.setdefault(case.collection, Counter())[outcome] += 1
        label = sorted(case.ranks) if case.expected == "ranks" else case.expected
        print(f"{outcome:13} {case.title:42} {label!s:8} {verdict.kind}/{verdict.confidence}: {verdict.summary[:120]}")
    print()
    print(f"{'':12}{'right':>8}{'unsure':>8}{'wrong':>8}{'falsely sure':>14}")
    for collection, counts in outcomes.items():
        numbers = [counts[name] for name in ("right", "unsure", "wrong", "falsely sure")]
        print(f"{collection:12}{numbers[0]:>8}{numbers[1]:>8}{numbers[2]:>8}{numbers[3]:>14}")
    bad = sum(counts["wrong"] + counts["falsely sure"] for counts in outcomes.values())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
