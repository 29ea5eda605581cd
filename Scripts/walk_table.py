"""The table of walks, Tests/Walks/walks.txt: for each walk of ARCHITECTURE.md, in its order, how many
files it enters, its goal, and the files. Of a file that is marked as `unnamed` it uses small functions
only: the page does not name it. `values` are files that no walk counts."""
import pathlib
import re
from dataclasses import dataclass

PLACE = "Tests/Walks/walks.txt"
UNNAMED = "unnamed"
HEADING = re.compile(
    r"# ((\w+): \d+ files(?: beside (\w+))?(?:, \d+ unnamed)?(?:; the goal is (\d+))?)")


@dataclass
class Walk:
    written: str  # the heading in the table
    name: str
    beside: str  # the walk whose files this one does not count, or ""
    goal: int
    files: list
    unnamed: set

    def heading(self):
        named = f"{self.name}: {len(self.files) - len(self.unnamed)} files"
        beside = f" beside {self.beside}" if self.beside else ""
        unnamed = f", {len(self.unnamed)} unnamed" if self.unnamed else ""
        goal = f"; the goal is {self.goal}" if self.goal else ""
        return named + beside + unnamed + goal


def read(root):
    """The files that no walk counts, and the walks by name."""
    walks, walk = {}, None
    for line in (pathlib.Path(root) / PLACE).read_text(encoding="utf-8").splitlines():
        match = HEADING.fullmatch(line)
        if match:
            written, name, beside, goal = match.groups()
            walk = walks[name] = Walk(written, name, beside or "", int(goal or 0), [], set())
        elif line:
            file, _, mark = line.partition(" ")
            walk.files.append(file)
            walk.unnamed |= {file} if mark == UNNAMED else set()
    return walks.pop("values"), walks


def block(walk):
    marked = (f"{file} {UNNAMED}" if file in walk.unnamed else file for file in walk.files)
    return "\n".join(["# " + walk.heading(), *marked, ""])


def write(root, values, walks):
    text = "\n".join(block(walk) for walk in [values, *walks.values()])
    (pathlib.Path(root) / PLACE).write_text(text, encoding="utf-8")
