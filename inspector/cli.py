"""The command: arguments → load → view, and exceptions → exit status.

Owns the way from the command line to an exit status. stdout carries the report alone; everything else is one line on
stderr. Heavy parts are imported where they are needed: `--help` loads no reader, a report loads no Textual.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from inspector.exit_codes import ExitCode
from inspector.options import COMMAND, Format, Options, UsageError, parse_options

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; `args` without the program's name, by default the process's own."""
    try:
        options = parse_options(args)
        return ExitCode.FOUND if options is None else _run(options)
    except UsageError as error:
        return _complain(f"{error} (see '{COMMAND} --help')")
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED


def _run(options: Options) -> int:
    if options.demo:
        from inspector.demo import demo_directory  # noqa: PLC0415 - see above

        if options.paths:
            raise UsageError("--demo opens its own example; give no PATH with it")
        with demo_directory() as directory:
            return _show(options, (directory,))
    return _show(options, options.paths or (".",))


def _show(options: Options, paths: tuple[str, ...]) -> int:
    if options.format is Format.TUI or (options.format is Format.AUTO and options.output is None):
        from inspector.start_app import can_start_app, run_app  # noqa: PLC0415 - see above

        if can_start_app(reads_stdin="-" in paths):
            if options.output is not None:
                raise UsageError("--output needs --format text, markdown or json")
            return run_app(paths, options.run, options.attempt)
        if options.format is Format.TUI:
            raise UsageError("the TUI needs a terminal on stdin, stdout and stderr; try --format text")
    from inspector.report import ReportError, write_report  # noqa: PLC0415 - see above

    try:
        return write_report(options, paths)
    except ReportError as error:
        return _complain(str(error))


def _complain(text: str) -> int:
    from inspector.presentation.safe_text import safe_text  # noqa: PLC0415 - see above

    print(f"{COMMAND}: {safe_text(text, ascii_only=True)}", file=sys.stderr)  # noqa: T201 - this is the outermost layer
    return ExitCode.USAGE
