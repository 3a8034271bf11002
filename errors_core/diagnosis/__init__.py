"""The diagnosis: reads a Job, opens no file, returns a Verdict whose every sentence points at its evidence.

Reading order: `signatures` (what a line means), `texts` and `roles` (one worker by itself), `relations` and
`sequences` (workers about each other), `outside`, `shared` and `ranking` (the decision), `verdicts` (the answer).
"""

from errors_core.diagnosis.attempts import compare_attempts, diagnose, diagnose_job
from errors_core.diagnosis.signatures import builtin_signatures, read_signatures

__all__ = ["builtin_signatures", "compare_attempts", "diagnose", "diagnose_job", "read_signatures"]
