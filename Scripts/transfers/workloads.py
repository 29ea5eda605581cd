"""The workloads of the program, run several times each."""
import subprocess
import sys
from typing import NamedTuple

from . import counts


class Row(NamedTuple):
    title: str
    threads: int
    # As the machine has it, and with threads that take turns.
    free: list
    turns: list


def listed(program):
    """Name, items, numbers of threads and title of each."""
    text = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in text.splitlines():
        name, items, threads, title = line.split(" ", 3)
        yield name, int(items), [int(each) for each in threads.split(",")], title


def measured(program, symbols, only, runs, divisor=1):
    """The rows of each workload whose name contains `only`, a list for each."""
    for name, items, threads, title in listed(program):
        if only not in name:
            continue
        rows = []
        for number in threads:
            print(name, number, file=sys.stderr)
            size = max(items // divisor // number, 1) * number
            row = Row(title, number, *(
                [counts.run(program, name, number, interleaved, size, symbols) for _ in range(runs)]
                for interleaved in (False, True)))
            lost = sum(run.lost for run in row.free + row.turns)
            if lost:
                raise SystemExit(f"{name}: there was no room for {lost} accesses or calls")
            rows.append(row)
        yield rows
