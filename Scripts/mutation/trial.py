"""Builds the program HandOffs once for each weakening, and runs it."""
import queue
import time
from concurrent.futures import ThreadPoolExecutor

from mutation import sanitizer
from mutation.tree import ScratchTree

PROGRAM = "HandOffs"
ATTEMPTS = 3  # some threads meet by chance


def trees(root, jobs):
    """So many copies of the package, in none of which anything goes wrong yet."""
    ready = queue.Queue()
    for number in range(jobs):
        tree = ScratchTree(root, number)
        name = sanitizer.first_to_report(tree.build(PROGRAM), "")
        if name != "silent":
            raise SystemExit(f"mutate: nothing is weakened, and {name} goes wrong")
        ready.put(tree)
    return ready


def require_that_each_shows_something(root, sites):
    """With every ordering relaxed, ThreadSanitizer reports in each hand-off."""
    tree = ScratchTree(root, 0)
    with tree.weakened([(site, "relaxed") for site in sites]):
        program = tree.build(PROGRAM)
        silent = [name for name in sanitizer.names(program)
                  if not any(sanitizer.outcome(program, name) for _ in range(ATTEMPTS))]
    if silent:
        raise SystemExit(f"mutate: everything is relaxed, and nothing in {', '.join(silent)}")


def attempt(ready, row, site):
    tree, start = ready.get(), time.monotonic()
    try:
        with tree.weakened([(site, row.weakened)]):
            row.sanitizer = sanitizer.first_to_report(tree.build(PROGRAM), row.sanitizer)
    finally:
        ready.put(tree)
    print(f"{row.site} → {row.weakened}: model {row.model}, ThreadSanitizer {row.sanitizer} "
          f"({time.monotonic() - start:.0f} s)", flush=True)


def attempt_all(root, jobs, rows, sites):
    """Fills in what ThreadSanitizer says to each row."""
    ready = trees(root, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda row: attempt(ready, row, sites[row.site]), rows))
