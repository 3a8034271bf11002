"""Load a job, diagnose it and write one report; the exit status says what was found.

Owns the way from paths to a written report. It loads no Textual.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from errors_core import details
from errors_core.diagnosis import diagnose_job
from errors_core.exceptions import ErrorsCoreError
from errors_core.load import load_job
from inspector import output
from inspector.exit_codes import ExitCode
from inspector.options import COMMAND, Format
from inspector.presentation.choice import ChoiceError, choose
from inspector.presentation.safe_text import safe_text
from inspector.progress_line import ProgressLine
from inspector.reports.json import format_json
from inspector.reports.markdown import format_markdown
from inspector.reports.outline import looked_at
from inspector.reports.text import text_lines
from inspector.version import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from errors_core.job import Job
    from inspector.options import Options
    from inspector.presentation.answer import Verdicts
    from inspector.presentation.choice import Choice

__all__ = ["ReportError", "write_report"]


class ReportError(Exception):
    """No report could be made; the text is one line that says why."""


def write_report(options: Options, paths: Sequence[str]) -> int:
    """Write the report that was asked for and return the exit status. Raises `ReportError`."""
    job = _load(paths)
    try:
        choice = choose(job, options.run, options.attempt)
    except ChoiceError as error:
        raise ReportError(str(error)) from error
    verdicts = diagnose_job(job)
    found = any(verdict.kind != "none" for of_run in verdicts for verdict in of_run)
    if found or job.problems or options.format is Format.JSON:
        _write(options, job, verdicts, choice)
    if found:
        return ExitCode.FOUND
    _say_nothing_failed(job)
    return ExitCode.NOTHING_FAILED


def _load(paths: Sequence[str]) -> Job:
    progress = ProgressLine()
    try:
        return load_job(*paths, progress=progress)
    except (OSError, ErrorsCoreError) as error:
        raise ReportError(_reason(error)) from error
    finally:
        progress.clear()


def _write(options: Options, job: Job, verdicts: Verdicts, choice: Choice | None) -> None:
    try:
        if options.output is None:
            output.write_stdout(_lines(options, job, verdicts, choice))
        else:
            output.write_file(options.output, _lines(options, job, verdicts, choice))
    except OSError as error:
        raise ReportError(_reason(error)) from error


def _lines(options: Options, job: Job, verdicts: Verdicts, choice: Choice | None) -> Iterable[str]:
    if options.format is Format.JSON:
        return format_json(job, verdicts, choice=choice, details=details, version=version())
    if options.format is Format.MARKDOWN:
        return format_markdown(job, verdicts, choice=choice, details=details)
    to_file = options.output is not None
    lines = text_lines(
        job,
        verdicts,
        choice=choice,
        details=details,
        width=80 if to_file else output.page_width(),
        ascii_only=not to_file and output.ascii_wanted(),
    )
    return output.uncoloured(lines) if to_file or not output.colour_wanted() else output.coloured(lines)


def _reason(error: Exception) -> str:
    """Return one line: the path and what is wrong with it."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    reason = error.strerror[:1].lower() + error.strerror[1:]
    return reason if error.filename is None else f"{error.filename}: {reason}"


def _say_nothing_failed(job: Job) -> None:
    where = ", ".join(job.inputs)
    hint = "" if job.workers else "; give it torchrun's --log-dir, error files or the launcher's output"
    text = safe_text(f"nothing failed below {where}: {looked_at(job)}{hint}", ascii_only=True)
    print(f"{COMMAND}: {text}", file=sys.stderr)  # noqa: T201 - stderr is where everything but the report goes
