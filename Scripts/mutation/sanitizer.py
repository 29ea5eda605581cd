"""Runs the program HandOffs under ThreadSanitizer, hand-off by hand-off, until one of
them goes wrong."""
import os
import subprocess

LIMIT = 60  # seconds; a hand-off takes about one
RACE = 66  # ThreadSanitizer's exit status
OPTIONS = f"halt_on_error=1 exitcode={RACE} atexit_sleep_ms=0"


def names(program):
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()


def first_to_report(program, hint):
    """The hand-off that goes wrong, and how if it is no race; or `silent`."""
    first = hint.split(":")[0]
    for name in sorted(names(program), key=lambda name: name != first):
        how = outcome(program, name)
        if how:
            return name if how == "race" else f"{name}: {how}"
    return "silent"


def outcome(program, name):
    """How a hand-off goes wrong; None if it does not."""
    environment = {**os.environ, "TSAN_OPTIONS": OPTIONS, "SWIFT_BACKTRACE": "enable=no"}
    try:
        run = subprocess.run(
            [program, name], env=environment, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode == 0:
        return None
    return "race" if run.returncode == RACE else f"status {run.returncode}"
