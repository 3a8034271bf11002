"""The few screens whose colours and styles are compared as drawings; all others are compared as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.app import InspectorApp
from inspector.terminal import Terminal
from tests.inspector.app.pictures import COLOURS, PLAIN, PictureSource, settle


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=["80x24", "200x50"])
@pytest.mark.parametrize("terminal", [COLOURS, PLAIN], ids=["colours", "plain"])
def test_the_first_screen_looks_as_it_did(
    snap_compare: Callable[..., bool], size: tuple[int, int], terminal: Terminal
) -> None:
    app = InspectorApp(["errors/"], terminal=terminal, source=PictureSource())
    assert snap_compare(app, terminal_size=size, run_before=settle)
