"""The command line as values: options, their defaults, their help.

Owns the grammar (contract: options, order, words) and nothing that happens afterwards, so that `--help` costs no
more than Typer. It refuses to load anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - Typer reads the annotations when it runs
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMAND", "Format", "Options", "UsageError", "parse_options"]

COMMAND = "elastic-inspect"


class UsageError(Exception):
    """The command line asks for something that does not exist; the text says what."""


class Format(StrEnum):
    """How the answer is shown."""

    AUTO = "auto"
    TUI = "tui"
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `-` in `paths` is standard input."""

    paths: tuple[str, ...]
    format: Format
    run: str | None
    attempt: int | None
    output: Path | None
    demo: bool


def parse_options(args: Sequence[str] | None = None) -> Options | None:
    """Return what the command line asks for, `None` when it asked for help or the version and got it.

    Raises `UsageError`.
    """
    command = typer.main.get_command(_app)
    try:
        answer = command.main(args=args, prog_name=COMMAND, standalone_mode=False)
    except typer.TyperException as error:
        raise UsageError(error.format_message().replace(" Value error,", "")) from error
    return answer if isinstance(answer, Options) else None


_app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        from inspector.version import version  # noqa: PLC0415 - nobody else pays for reading the metadata

        typer.echo(f"{COMMAND} {version()}")
        raise typer.Exit


@_app.command(help="Say which worker broke a dead distributed job, why, and what to do next.")
def _options(
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Directories, logs, archives; - is standard input. Default: the current directory.",
        ),
    ] = None,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="[auto|tui|text|markdown|json]",
            help="auto: the TUI on a terminal, text otherwise.",
        ),
    ] = Format.AUTO,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    run: Annotated[str | None, typer.Option(metavar="ID", help="Which run; by default the newest.")] = None,
    attempt: Annotated[int | None, typer.Option(metavar="N", help="Which attempt; by default the run's last.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report to FILE.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Open a recorded example.")] = False,
    version: Annotated[  # noqa: ARG001 - its callback has answered before
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> Options:
    if as_json and format_ not in {Format.AUTO, Format.JSON}:
        raise typer.BadParameter(f"--json and --format {format_.value} contradict each other")
    return Options(tuple(paths or ()), Format.JSON if as_json else format_, run, attempt, output, demo)
