"""What the kernel says of a process: its memory, threads, descriptors and children."""
import dataclasses
import os
import pathlib


@dataclasses.dataclass
class Reading:
    resident: int  # KiB, and so is `private`
    private: int  # pages that the process has written and shares with no other, in memory or swapped out
    threads: int
    descriptors: int
    children: int


def fields(path):
    """The lines `Name: number …` of a file."""
    found = {}
    for line in path.read_text().splitlines():
        name, _, value = line.partition(":")
        if value.split() and value.split()[0].isdecimal():
            found[name] = int(value.split()[0])
    return found


def read(process):
    folder = pathlib.Path(f"/proc/{process}")
    # `smaps_rollup` counts pages. The counts of `status` are late by some pages a thread.
    memory = fields(folder / "smaps_rollup")
    if "Rss" not in memory:
        raise ProcessLookupError(f"process {process} has ended")
    return Reading(
        memory["Rss"], memory["Private_Dirty"] + memory.get("Swap", 0), fields(folder / "status")["Threads"],
        len(descriptors(process)), len(children(process)))


def descriptors(process):
    """What each open descriptor is, by its number."""
    found = {}
    for entry in os.scandir(f"/proc/{process}/fd"):
        try:
            found[int(entry.name)] = os.readlink(entry.path)
        except FileNotFoundError:
            pass  # closed in between
    return found


def children(process):
    """The children, and in what state each is: `Z` for one that nobody has waited for."""
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            text = pathlib.Path(entry.path, "stat").read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended in between
        # Before the last parenthesis is the name of the program, which may contain anything.
        state, parent, *_ = text.rpartition(")")[2].split()
        if int(parent) == process:
            found[int(entry.name)] = state
    return found
