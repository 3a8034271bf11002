from __future__ import annotations

import pytest

from errors_core.own_code import is_own_code, is_plumbing, relative_path


@pytest.mark.parametrize(
    "path",
    [
        "/workspace/train.py",
        "train.py",
        "./src/model/layers.py",
        "/home/ann/lib/tools/data.py",
        "C:\\Users\\ann\\train\\train.py",
        "D:\\lib\\train.py",
        "/tmp/ray/session_1/runtime_resources/working_dir_files/pkg/train.py",
        "/scratch/torch_experiments/run.py",
        "<stdin>",
        "<string>",
        "<ipython-input-3-abc>",
    ],
)
def test_the_jobs_files_are_own_code(path: str) -> None:
    assert is_own_code(path)


@pytest.mark.parametrize(
    "path",
    [
        "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py",
        "/usr/lib/python3/dist-packages/numpy/core.py",
        "/usr/lib/python3.11/threading.py",
        "/opt/conda/lib/python3.10/runpy.py",
        "/usr/lib64/python3.9/json/decoder.py",
        "/opt/python/lib/python3.13t/asyncio/runners.py",
        "lib/python3.10/runpy.py",
        "site-packages/torch/distributed/run.py",
        "torch/distributed/run.py",
        "/opt/pytorch/pytorch/torch/nn/modules/linear.py",
        "C:\\Python311\\Lib\\threading.py",
        "C:\\Users\\ann\\miniconda3\\envs\\train\\lib\\runpy.py",
        "C:\\job\\venv\\Lib\\site-packages\\torch\\_tensor.py",
        "/usr/lib/python311.zip/encodings/utf_8.py",
        "/job/eggs/reader-1.0-py3.8.egg/reader/core.py",
        "/home/ann/.pex/installed_wheels/abc/numpy-2.0.whl/numpy/core.py",
        "/opt/venv/bin/torchrun",
        "C:\\job\\venv\\Scripts\\torchrun.exe\\__main__.py",
        "/tmp/torchinductor_ann/xy/cxyz.py",
        "<frozen runpy>",
        "<frozen importlib._bootstrap>",
        "<eval_with_key>.12",
        "<__array_function__ internals>",
    ],
)
def test_installed_and_generated_files_are_not_own_code(path: str) -> None:
    assert not is_own_code(path)


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", "torch/_tensor.py"),
        ("/usr/lib/python3/dist-packages/numpy/core.py", "numpy/core.py"),
        ("/usr/lib/python3.11/json/decoder.py", "json/decoder.py"),
        ("C:\\Python311\\Lib\\threading.py", "threading.py"),
        ("/a/site-packages/b/site-packages/c/d.py", "c/d.py"),
        ("/workspace/deep/train.py", "train.py"),
        ("<string>", "<string>"),
    ],
)
def test_paths_are_compared_below_their_packages_or_by_name(path: str, relative: str) -> None:
    assert relative_path(path) == relative


def test_only_frames_that_pass_calls_on_are_plumbing() -> None:
    assert is_plumbing("/usr/lib/python3.11/runpy.py", "_run_code")
    assert is_plumbing("<frozen runpy>", "_run_module_as_main")
    assert not is_plumbing("/job/runpy_tools.py", "run")
    assert not is_plumbing("/usr/lib/python3.11/threading.py", "run")
