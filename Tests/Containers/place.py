"""The scenario program, and what it printed and said."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("SIGNALBOX_COUNTED_FACTS") or ROOT / ".build/debug/CountedFacts")
LIMIT = 300  # seconds: a wedge ends there
TEXT = b"a line of a file\n" * 1000

OWN = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALBOX_")}
ENVIRONMENT = {**OWN, "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C"}


class Outcome:
    def __init__(self, ended):
        self.code, self.said = ended.returncode, ended.stderr
        self.facts = dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)


def run(command, *words, file, **variables):
    """Runs a scenario by a command that puts limits around it; `file` is its standard input."""
    # Without /proc, Swift's library has no arguments.
    variables["COUNTED_FACTS"] = " ".join(words)
    return Outcome(subprocess.run([*command, PROGRAM, *words], stdin=file, text=True, timeout=LIMIT,
                                  capture_output=True, env={**ENVIRONMENT, **variables}))
