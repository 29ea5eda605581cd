"""The mutation sites: every ordering of the sources that is not relaxed. A site's
name says its file, function and edges, and no line number, so that it lasts:
`Core/QueueState.tryTake:QS1`, and for the second such one `….2`."""
import re
from collections import Counter
from dataclasses import dataclass

from atomic_orderings import atomic_orderings
from mutation.weakening import operation, weakenings, word

DECLARATION = re.compile(
    r"\s*(?:@[\w(]+\)?\s+|[a-z]+(?:\(set\))?\s+)*?"
    r"(?:func\s+(?P<func>\w+)|(?P<init>(?:de)?init)\b|var\s+(?P<var>\w+)\b[^=]*\{$)")
C_FUNCTION = re.compile(r"\S.*?(?P<func>\w+)\([^;]*\{$")


@dataclass
class Site:
    name: str
    path: object  # the file
    line: int
    span: tuple
    spelling: str  # as the source has it: acquiring, ACQUIRE
    ordering: str  # in Swift's words
    weakenings: list  # in Swift's words, one step each


def function(source, index):
    """The name of the function around a line, found by indentation."""
    pattern = DECLARATION if source.path.suffix == ".swift" else C_FUNCTION
    limit = indentation(source.lines[index]) or 1
    for code in reversed(source.code[:index]):
        if not code.strip() or code.lstrip()[0] in ")}#" or indentation(code) >= limit:
            continue
        limit = indentation(code)
        match = pattern.match(code)
        if match:
            return next(name for name in match.groups() if name)
    return "?"


def indentation(code):
    return len(code) - len(code.lstrip())


def mutation_sites(root):
    seen = Counter()
    for found in (o for o in atomic_orderings(root)[0] if not o.is_relaxed):
        path, match = found.source.path, found.match
        name = f"{path.parent.name}/{path.stem}.{function(found.source, found.index)}"
        name += ":" + "+".join(found.edges)
        seen[name] += 1
        group = 2 if match.group(2) else 3
        yield Site(
            name if seen[name] == 1 else f"{name}.{seen[name]}",
            path, found.index, match.span(group), found.spelling, word(found.spelling),
            weakenings(operation(found), word(found.spelling)))
