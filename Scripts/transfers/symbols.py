"""The functions of a program at given addresses, from its debug information."""
import pathlib
import re
import subprocess
from typing import NamedTuple

from .toolchain import tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY, PROGRAM = f"{ROOT}/Sources/", f"{ROOT}/Benchmarks/"


class Frame(NamedTuple):
    """A function, by its name without parameters, and its file, without folder and ending."""
    function: str
    file: str
    path: str

    @property
    def is_library(self):
        return self.path.startswith(LIBRARY)

    @property
    def is_program(self):
        return self.path.startswith(PROGRAM)


def frame(function, place):
    path = place.rsplit(":", 2)[0]
    name = re.sub(r"[<(].*", "", function) or function
    # A property is called by its own name, not by that of its getter.
    name = re.sub(r"\.(get|set|read|modify|unsafeMutableAddressor)$", "", name)
    return Frame("closure" if name == "??" else name.rsplit(".", 1)[-1],
                 path.rsplit("/", 1)[-1].rsplit(".", 1)[0], path)


class Symbols:
    def __init__(self, program):
        self.program, self.known = program, {"-": ()}

    def learn(self, addresses):
        """All at once, because the symbolizer reads the whole program first."""
        missing = sorted(set(addresses) - self.known.keys())
        if not missing:
            return
        text = subprocess.run(
            [tool("llvm-symbolizer"), f"--obj={self.program}", "--inlines", "--functions=short"],
            input="".join(f"0x{address}\n" for address in missing), stdout=subprocess.PIPE,
            text=True, check=True).stdout
        for address, block in zip(missing, text.rstrip("\n").split("\n\n"), strict=True):
            lines = block.split("\n")
            self.known[address] = tuple(
                frame(function, place) for function, place in zip(lines[::2], lines[1::2]))

    def frames(self, addresses):
        """From the innermost of what was inlined at the first address to the last one's function."""
        return [each for address in addresses for each in self.known[address]]
