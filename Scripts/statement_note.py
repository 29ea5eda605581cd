"""The `// tag: …` note of a statement: on one of the statement's lines, or in the
comment directly above it. A call over several lines, a chain, a line that an
operator leaves open and a declaration with its attributes are one statement. A
note that says "as above" takes in the note shortly before it."""
import re

CONTINUES = re.compile(r"\s*([.?:)\]]|&&|\|\||[-+*/|^<>=]\s|#(if|else|endif)\b)")
OPEN_ENDED = re.compile(r"([(,=?:\[]|&&|\|\||[-+*/|^<]|\b(return|try|unsafe))$")
ATTRIBUTES = re.compile(r"\s*(@\w+(\([^)]*\))?\s*)+")
NEAR = 12  # lines that "as above" looks back


def statement_note(source, index, column, tag):
    """The text of the note at the statement around a place, or None."""
    first, at = first_line(source, index, column), index
    while at >= first or source.is_comment(at):
        if tag + ":" in source.comments[at]:
            return text(source, at, tag)
        at -= 1
    return None


def first_line(source, index, column):
    first = call_line(source, index, column)
    while True:
        above = first - 1
        while source.is_comment(above):
            above -= 1
        code = source.code[above] if above >= 0 else ""
        joined = OPEN_ENDED.search(code) or ATTRIBUTES.fullmatch(code)
        if above < 0 or not (joined or CONTINUES.match(source.code[first])):
            return first
        first = above


def call_line(source, index, column):
    """The line of the `(` that encloses a place; its own line where none does."""
    depth, end = 0, column
    for at in range(index, -1, -1):
        for char in reversed(source.code[at][:end]):
            depth += {")": 1, "}": 1, "(": -1, "{": -1}.get(char, 0)
            if depth < 0:
                return at if char == "(" else index
        end = None
    return index


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
