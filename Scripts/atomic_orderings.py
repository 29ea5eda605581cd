"""Every ordering in the sources, with the `// order:` note of its statement and the
edges that the note names. An edge is one to three capitals and a number, defined in
a file header under `// Ordering`."""
import re
from dataclasses import dataclass

from source_file import SourceFile, sources
from statement_note import statement_note

ORDERING = r"\b(o|successO|failureO)rdering: *\.(\w+)|\b(?:__ATOMIC|memory_order)_(\w+)"
EDGE = r"\b(?!C11\b)[A-Z]{1,3}[0-9]+\b"  # C11 is the memory model's name


def definitions(source):
    """Names that the header defines, as (section, name)."""
    section = ""
    for line in source.header():
        opening, rest = re.fullmatch(r"// ?([A-Z][a-z]+\b)?\s*(.*)", line).groups()
        section = opening or section
        name = re.match(rf"({EDGE})\s\s+\S", rest)
        if name:
            yield section, name.group(1)


@dataclass
class AtomicOrdering:
    source: SourceFile
    index: int
    match: re.Match
    note: str  # empty where there is none
    edges: list

    @property
    def is_failure(self):
        return self.match.group(1) == "failureO"

    @property
    def spelling(self):
        return self.match.group(2) or self.match.group(3)

    @property
    def is_relaxed(self):
        return self.spelling.lower() == "relaxed"


def atomic_orderings(root):
    """All orderings below Sources, and the edges as (name, source) in the files' order."""
    files = list(sources(root, "Sources"))
    names = [(f, section, name) for f in files for section, name in definitions(f)]
    edges = [(name, source) for source, section, name in names if section == "Ordering"]
    others = {name for _, section, name in names if section != "Ordering"} - {e for e, _ in edges}
    found = []
    for source in files:
        for index, match in source.find(ORDERING):
            note = statement_note(source, index, match.start(), "order") or ""
            named = [name for name in dict.fromkeys(re.findall(EDGE, note)) if name not in others]
            found.append(AtomicOrdering(source, index, match, note, named))
    return found, edges
