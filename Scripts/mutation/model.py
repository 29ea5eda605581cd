"""Asks the model tests which weakenings they find. They try all of them in any run,
and fail if one is not found that should be; here they also say so."""
import os
import subprocess


def report(root):
    """For each (site, weakening) that is modelled: found or holds."""
    run = subprocess.run(
        ["swift", "test", "--disable-xctest", "-c", "release", "--package-path", "Tests/ModelTests",
         "--scratch-path", ".build/models"], cwd=root,
        env={**os.environ, "SIGNALBOX_MODEL_REPORT": "1"}, capture_output=True, text=True)
    answers = {}
    for line in run.stdout.splitlines():
        if line.startswith("model:\t"):
            _, site, weakened, answer = line.split("\t")
            # One operation may stand in several places of the model.
            if answers.get((site, weakened)) != "found":
                answers[site, weakened] = answer
    if not answers:
        raise SystemExit(f"mutate: the model tests say nothing\n{run.stdout}{run.stderr}")
    return answers
