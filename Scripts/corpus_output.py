"""What the programs of Tests/Corpus print, and where two differ."""
import os
import subprocess

LIMIT = 60  # seconds: each takes milliseconds
QUIET = dict(os.environ, SWIFT_BACKTRACE="enable=no")


def say(binary, program, folder=None):
    """What the program prints, and how it ends if not well. The dynamic linker looks into the folder
    first."""
    variables = {"LD_LIBRARY_PATH": str(folder)} if folder else {}
    run = subprocess.run(["timeout", str(LIMIT), binary, program], capture_output=True, text=True,
                         env={**QUIET, **variables})
    return run.stdout.splitlines() + [f"(status {run.returncode})"] * (run.returncode != 0)


def differences(corpus, program, mode, theirs, ours):
    """Each pair of lines that differ, and where."""
    for number in range(max(len(theirs), len(ours))):
        pair = [lines[number] if number < len(lines) else "(nothing)" for lines in (theirs, ours)]
        if pair[0] != pair[1]:
            yield (program, *pair), f"{corpus}/{program}, Swift {mode}, line {number + 1}:\n" \
                f"  toolchain: {pair[0]}\n  Signalbox: {pair[1]}"
