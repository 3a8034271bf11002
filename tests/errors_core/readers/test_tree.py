"""What a path is, by its name and the directories above it."""

from __future__ import annotations

import pytest

from errors_core.readers.tree import Spot, classify, find_home, is_error_file_name


def spot_of(path: str) -> Spot:
    spot = classify([part for part in path.split("/") if part])
    assert spot is not None
    return spot


@pytest.mark.parametrize(
    ("name", "run_id"),
    [
        ("none_sbfi6v6r", "none"),
        ("job-4471_2oikg6bk", "job-4471"),
        ("job-4471__b9p7vmb", "job-4471"),
        ("a2838cac-be3a-4166-a6b4-4d68a10ca35a_9adbbi_3", "a2838cac-be3a-4166-a6b4-4d68a10ca35a"),
        ("my_run_id_2_8sq71en_", "my_run_id_2"),
        ("x_________", "x"),
    ],
)
def test_a_run_id_may_hold_underscores_and_so_may_the_random_part(name: str, run_id: str) -> None:
    assert find_home(["scratch", "logs", name]).run_id == run_id


@pytest.mark.parametrize("name", ["logs", "renamed", "job_2026", "job_ABCDEFGH", "_abcdefgh"])
def test_a_directory_that_torchrun_did_not_name_has_no_run_id(name: str) -> None:
    assert find_home(["scratch", name]).run_id is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("error.json", "error_file"),
        ("error.json.gz", "error_file"),
        ("stdout.log", "worker_log"),
        ("stderr.log.gz", "worker_log"),
        ("metrics.json", "json"),
    ],
)
def test_files_in_a_rank_directory_belong_to_that_rank(name: str, kind: str) -> None:
    spot = spot_of(f"/scratch/none_sbfi6v6r/attempt_2/3/{name}")
    assert (spot.kind, spot.attempt, spot.local_rank, spot.rank) == (kind, 2, 3, None)
    assert (spot.home.run_id, spot.home.laid_out, spot.home.parts) == ("none", True, ("scratch", "none_sbfi6v6r"))


@pytest.mark.parametrize(
    ("path", "rank", "local_rank"),
    [
        ("/e/rank_3.json", 3, None),
        ("/e/rank3.json.gz", 3, None),
        ("/e/error_rank3.json", 3, None),
        ("/e/error-rank-3.json", 3, None),
        ("/e/errorrank3.json", 3, None),
        ("/e/rank_3/error.json", 3, None),
        ("/e/3/error.json", None, 3),
        ("/e/local_rank_3.json", None, 3),
        ("/e/local_rank3/error.json", None, 3),
        ("/e/error.json", None, None),
    ],
)
def test_loose_error_files_are_known_by_their_name_or_their_directory(
    path: str, rank: int | None, local_rank: int | None
) -> None:
    spot = spot_of(path)
    assert (spot.kind, spot.rank, spot.local_rank, spot.claims) == ("error_file", rank, local_rank, True)
    assert spot.home.parts == ("e",)
    assert not spot.home.laid_out


def test_the_attempt_of_a_loose_file_is_that_of_its_directory() -> None:
    spot = spot_of("/logs/job_abcdefgh/attempt_1/rank_3.json")
    assert (spot.attempt, spot.rank, spot.home.run_id, spot.home.laid_out) == (1, 3, "job", False)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "trainer_state_rank_3.json", "error_codes.json"])
def test_other_json_claims_nothing(name: str) -> None:
    spot = spot_of(f"/e/{name}")
    assert (spot.kind, spot.claims) == ("json", False)
    assert not is_error_file_name(name)


@pytest.mark.parametrize(
    ("path", "rank", "local_rank"),
    [
        ("/l/rank_3.log", 3, None),
        ("/l/2026-12-01_rank3.log", 3, None),
        ("/l/train-rank-3.err.gz", 3, None),
        ("/l/rank3/train.log", 3, None),
        ("/l/log.local_rank3.txt", None, 3),
        ("/l/3/stderr.log", None, 3),
    ],
)
def test_logs_named_after_a_rank_are_that_workers(path: str, rank: int | None, local_rank: int | None) -> None:
    spot = spot_of(path)
    assert (spot.kind, spot.rank, spot.local_rank) == ("worker_log", rank, local_rank)


@pytest.mark.parametrize(
    "name",
    ["launcher.log", "slurm-123.out", "job.err", "pasted.txt", "launcher.log.gz", "dmesg", "stderr.log", "47.out"],
)
def test_other_logs_may_be_a_launchers(name: str) -> None:
    assert spot_of(f"/l/{name}").kind == "log"


@pytest.mark.parametrize("name", ["train.py", "model.pt", "shard.tar", "image.png", "Makefile", "logs", "weights.bin"])
def test_a_file_that_is_no_evidence_is_nothing(name: str) -> None:
    assert classify(["l", name]) is None


def test_a_path_without_parts_is_nothing() -> None:
    assert classify([]) is None
