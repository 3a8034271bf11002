from pathlib import Path

from inspector.demo import demo_directory

RECORDED = Path(__file__).parents[1] / "data" / "torchrun" / "two_node"


def contents(directory: Path) -> dict[Path, bytes]:
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_example_is_the_recorded_job_byte_for_byte() -> None:
    with demo_directory() as directory:
        assert contents(Path(directory)) == contents(RECORDED)
