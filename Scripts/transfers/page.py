"""The tables of Documentation/Internals/Transfers.md, from the runs of each workload."""
import datetime
import os
import pathlib
import platform
from collections import Counter
from statistics import median

from . import paths
from .counts import ALLOCATOR, MOVES, REFERENCES, RMW

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Documentation/Internals/Transfers.md"
BEGIN, END = "<!-- transfers: begin -->\n", "<!-- transfers: end -->"
# Below that, per item, a path or a place is left out.
LEAST = 0.02
LEAST_LINE, LINES, PLACES = 0.05, 8, 6


def text(number):
    return f"{number:.2f}" if number < 100 else f"{number:.0f}"


def spread(runs, columns):
    numbers = sorted(run.total(columns) for run in runs)
    middle, least, most = map(text, (median(numbers), numbers[0], numbers[-1]))
    return middle if least == most else f"{middle} ({least}–{most})"


def totals(rows):
    yield ("| workload | threads | RMW | references | moves | allocator "
           "| RMW, in turns | references, in turns | moves, in turns |")
    yield "| --- | ---: |" + " ---: |" * 7
    for row in rows:
        cells = [spread(row.free, columns) for columns in (RMW, REFERENCES, MOVES, ALLOCATOR)]
        cells += [spread(row.turns, columns) for columns in (RMW, REFERENCES, MOVES)]
        yield f"| {row.title} | {row.threads} | {' | '.join(cells)} |"


def cell(runs, path):
    numbers = [median(run.total(columns, path) for run in runs) for columns in (RMW, REFERENCES, MOVES)]
    if max(numbers) < LEAST:
        return "–"
    return f"{text(numbers[0])} + {text(numbers[1])}; {text(numbers[2])}"


def by_path(rows):
    """A table for the rows of one workload, which differ in the number of threads."""
    yield f"**{rows[0].title}**\n"
    yield "| path | " + " | ".join(
        f"{row.threads} thread{'s' * (row.threads > 1)}" for row in rows) + " |"
    yield "| --- |" + " ---: |" * len(rows)
    for name in [*paths.NAMES, paths.PROGRAM]:
        cells = [cell(row.turns, name) for row in rows]
        if set(cells) != {"–"}:
            yield f"| {name} | {' | '.join(cells)} |"
    yield ""


def most_moved(row):
    """The lines that pass from thread to thread most often, in the run of which most is typical."""
    runs = sorted(row.turns, key=lambda run: run.total(MOVES))
    run = runs[len(runs) // 2]
    found = []
    for line, places in run.lines.items():
        places = Counter({key: moves for key, moves in places.items() if key[0] != paths.PROGRAM})
        found.append((places.total() / run.items, line is None, places))
    for total, several, places in sorted(found, key=lambda each: each[:2], reverse=True)[:LINES]:
        if total < LEAST_LINE:
            break
        named = ", ".join(f"`{place}` ({path}) {text(moves / run.items)}"
                          for rank, ((path, place), moves) in enumerate(places.most_common(PLACES))
                          if rank == 0 or moves / run.items >= LEAST)
        yield (f"| {row.title} | {row.threads} | {'several' if several else 'one'} | "
               f"{text(total)} | {named} |")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = (line.split(":")[1].strip() for line in file if line.startswith("model name"))
        model = next(models, "a processor without a name")
    return (f"{model}, {len(os.sched_getaffinity(0))} processors, {platform.machine()}, Linux "
            f"{platform.release().split('-')[0]}; {datetime.date.today()}")


def tables(workloads):
    rows = [row for each in workloads for row in each]
    runs = len(rows[0].free)
    yield f"{machine()}; {runs} runs of each, of which the median is shown, with the least and the most.\n"
    yield from totals(rows)
    yield "\n### By path\n"
    for each in workloads:
        yield from by_path(each)
    yield "### What moves\n"
    yield "| workload | threads | lines | moves | by |"
    yield "| --- | ---: | --- | ---: | --- |"
    for each in workloads:
        yield from most_moved(each[-1])
    yield "\n### The paths\n"
    yield "| path | what happens on it | where |"
    yield "| --- | --- | --- |"
    for name, what, places in paths.PATHS:
        yield f"| {name} | {what} | {', '.join(f'`{place}`' for place in places.split())} |"


def write(lines):
    """Puts the tables into the page."""
    old = PAGE.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{lines}\n{END}{rest.split(END)[1]}", encoding="utf-8")
