"""Which files of the library a run of the program Tests/Walks enters.

The program counts its calls itself, by the compiler's coverage. A file is entered if one of its
functions or initializers is called: properties and closures alone do not count."""
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ["swift", "build", "--package-path", "Tests/Walks", "--scratch-path", ".build/walks",
         "-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping"]
PROGRAM, SOURCES = ROOT / ".build/walks/debug/Walks", ROOT / "Sources"
RUNS = 5
CALLS = ("F", "FZ", "fC", "fc", "fD", "fd")  # the ends of a function's and an initializer's symbol


def tool(name):
    return pathlib.Path(shutil.which("swift")).resolve().parent / name


def build():
    subprocess.run(BUILD, cwd=ROOT, check=True)


def entered(walk, folder):
    """The files that one run enters."""
    counts, data = folder / "counts", folder / "data"
    subprocess.run([PROGRAM, walk], check=True, timeout=60, cwd=folder,
                   env={**os.environ, "SIGNALBOX_WORKERS": "1", "LLVM_PROFILE_FILE": str(counts)})
    subprocess.run([tool("llvm-profdata"), "merge", counts, "-o", data], check=True)
    report = subprocess.run(
        [tool("llvm-cov"), "export", "-format=lcov", "-instr-profile", data, PROGRAM],
        check=True, capture_output=True, text=True).stdout
    for line in report.splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            path = pathlib.Path(value)
        elif key == "FNDA" and not value.startswith("0,") and value.endswith(CALLS):
            if path.is_relative_to(SOURCES):
                yield str(path.relative_to(SOURCES).with_suffix(""))


def measured(walk):
    """The files that most of some runs enter: another process may make one run wait."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Counter(f for _ in range(RUNS) for f in set(entered(walk, pathlib.Path(folder))))
    return {file for file, runs in seen.items() if runs > RUNS // 2}
