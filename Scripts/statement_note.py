"""The `// tag: …` note of a statement: on one of the statement's lines, or in the
comment directly above it. A note that says "as above" takes in the one shortly
before it."""
import re

from statement import first_line, last_line

NEAR = 12  # lines that "as above" looks back


def statement_note(source, index, column, tag):
    """The text of the note at the statement around a place, or None."""
    first, at = first_line(source, index, column), last_line(source, index, column)
    while at >= first or source.is_comment(at):
        if tag + ":" in source.comments[at]:
            return text(source, at, tag)
        at -= 1
    return None


def text(source, index, tag):
    parts, start = [source.comments[index].split(tag + ":", 1)[1].strip()], index
    while source.is_comment(index) and source.is_comment(index + 1) \
            and not re.match(r"/? *(order|SAFETY):", source.comments[index + 1]):
        index += 1
        parts.append(source.comments[index].strip())
    if "as above" in parts[0]:
        near = range(start - 1, max(start - NEAR, 0) - 1, -1)
        parts += [text(source, at, tag) for at in near if tag + ":" in source.comments[at]][:1]
    return " ".join(parts)
