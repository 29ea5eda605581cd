"""Runs of QueuePictures, for the tests of what they leave."""
import subprocess

from browser import PATIENCE, ROOT

PROGRAM = ROOT / ".build/debug/QueuePictures"
# Where the kernel takes the processor away for some milliseconds, a run may not show its steps.
TRIES = 100


def draw(place, scenes, *options):
    """Leaves the pages and recordings of each scene's run in a folder."""
    for scene in scenes:
        for left in reversed(range(TRIES)):
            done = subprocess.run([PROGRAM, *options, place, scene], check=left == 0,
                                  timeout=2 * PATIENCE, stdout=subprocess.DEVNULL)
            if done.returncode == 0:
                break
