"""The import lines of a Swift file, in every form that Swift has for them."""
import bisect
import dataclasses
import re

from moving.swift_text import code_of

LEVELS = ("private", "fileprivate", "internal", "package", None, "public")
IMPORT = re.compile(
    r"(?:^\ufeff?|;)[^\S\n]*(?P<statement>"
    rf"(?P<modifiers>(?:(?:@\w+(?:\([^)]*\))?|{'|'.join(filter(None, LEVELS))})\s+)*)import\s+"
    r"(?:(?P<kind>struct|class|enum|protocol|func|var|let|typealias)\s+)?"
    r"`?(?P<module>\w+)`?(?:\s*\.\s*`?(?P<name>\w+)`?)?)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(if|elseif|else|endif)\b", re.M)
HARMLESS = {"@_exported", "@preconcurrency"}


@dataclasses.dataclass(frozen=True)
class Import:
    """One statement: its place, its module's place, what it says, and the `#if` it is in."""
    start: int
    end: int
    module_start: int
    module: str
    name: str  # of a single declaration, else None
    attributes: frozenset
    level: str  # or None
    branch: tuple

    def covers(self, other):
        """Whether a file has all of `other`'s names by this one, as far and as lasting."""
        return (self.branch == other.branch and other.attributes <= self.attributes
                and self.attributes - other.attributes <= HARMLESS
                and (self.level == other.level or LEVELS.index(other.level)
                     <= LEVELS.index(self.level or "internal")))


def branches(code):
    """A function from a position to the branches of `#if` it is in, outermost first."""
    places, paths, path, count = [0], [()], (), 0
    for directive in DIRECTIVE.finditer(code):
        count += 1
        outer = path if directive[1] == "if" else path[:-1]
        path = outer if directive[1] == "endif" else (*outer, count)
        places.append(directive.start())
        paths.append(path)
    return lambda position: paths[bisect.bisect_right(places, position) - 1]


def imports(text):
    """The code of a file, and its import statements in their order."""
    code = code_of(text)
    branch, found = branches(code), []
    for match in IMPORT.finditer(code):
        modifiers = match["modifiers"].split()
        level = next((word for word in modifiers if word in LEVELS), None)
        attributes = frozenset(modifiers) - set(LEVELS)
        found.append(Import(*match.span("statement"), match.start("module"), match["module"],
                            match["name"], attributes, level, branch(match.start("module"))))
    return code, found
