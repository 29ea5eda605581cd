"""What a run of the program counted, by path and by place."""
import os
import subprocess
from collections import Counter, defaultdict

from . import paths

# Atomic operations that read and write in one step. A compare-and-swap that fails is one too.
RMW = ("exchange", "swap", "failed-swap")
REFERENCES = ("retain", "release")
# A line that passes from one processor to another, or is taken away from others.
MOVES = ("fetched", "claimed", "recalled")
ALLOCATOR = ("allocate", "free")


class Run:
    """One run: what was counted, in `by` under (path, place), and the moves of each line.

    The line None stands for all those that moved at an instruction with another one."""

    def __init__(self, text, items, symbols):
        self.items, self.by, self.lost = items, defaultdict(Counter), 0
        self.lines = defaultdict(Counter)
        columns, sites = [], []
        for line in text.splitlines():
            kind, *words = line.split()
            if kind == "columns":
                columns = words
            elif kind == "lost":
                self.lost = int(words[0])
            else:
                sites.append(([words[0], *words[1].split(",")], words[2], list(map(int, words[3:]))))
        symbols.learn(address for addresses, _, _ in sites for address in addresses)
        for addresses, line, (line_moves, *numbers) in sites:
            frames = symbols.frames(addresses)
            key = paths.path(frames), paths.place(frames)
            counts = dict(zip(columns, numbers, strict=True))
            self.by[key].update(counts)
            self.lines[line][key] += line_moves
            self.lines[None][key] += sum(counts[column] for column in MOVES) - line_moves

    def total(self, columns, path=None):
        """An item's, of the library; or of one path."""
        return sum(counts[column] for (name, _), counts in self.by.items() for column in columns
                   if (name == path if path else name != paths.PROGRAM)) / self.items


def run(program, workload, threads, interleaved, items, symbols):
    """Performs a workload once: as the machine has it, or with threads that take turns."""
    command = [program, "--workload", workload, "--threads", str(threads), "--items", str(items)]
    environment = dict(os.environ)
    if interleaved:
        command += ["--interleave", "1"]
        environment["SIGNALBOX_WORKERS"] = "8"
    text = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout
    return Run(text, items, symbols)
