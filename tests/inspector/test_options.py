from pathlib import Path

import pytest

from inspector.options import Format, Options, UsageError, parse_options


def test_without_arguments_everything_is_the_default() -> None:
    assert parse_options([]) == Options((), Format.AUTO, None, None, None, False)


def test_every_option_is_read() -> None:
    args = ["a", "-", "--format", "markdown", "--run", "job-1", "--attempt", "2", "-o", "out.md"]
    assert parse_options(args) == Options(("a", "-"), Format.MARKDOWN, "job-1", 2, Path("out.md"), False)
    assert parse_options(["--demo", "--output", "x"]) == Options((), Format.AUTO, None, None, Path("x"), True)


def test_json_is_short_for_its_format() -> None:
    options = parse_options(["--json", "--format", "json"])
    assert options is not None
    assert options.format is Format.JSON
    assert parse_options(["--json"]) == options


def test_a_path_after_two_dashes_may_look_like_an_option() -> None:
    options = parse_options(["--", "--json"])
    assert options is not None
    assert options.paths == ("--json",)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--nonsense"], "--nonsense"),
        (["--format", "yaml"], "'yaml' is not one of 'auto'"),
        (["--attempt", "last"], "'--attempt'"),
        (["--run"], "'--run' requires an argument"),
        (["--json", "--format", "text"], "contradict"),
    ],
)
def test_wrong_usage_is_told_in_one_line(args: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse_options(args)
    assert "\n" not in str(caught.value)


def test_help_and_version_are_answered_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_options(["--version"]) is None
    assert capsys.readouterr().out.startswith("elastic-inspect ")
    assert parse_options(["--help"]) is None
    text = capsys.readouterr().out
    order = [text.index(f"  {name}") for name in ("--format", "--json", "--run", "--attempt", "-o, --output", "--demo")]
    assert order == sorted(order)
    assert text.index("--version") > order[-1]
    assert "[auto|tui|text|markdown|json]" in text
