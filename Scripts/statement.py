"""Where the statement around a place in a source file begins and ends. A call over
several lines, a chain, a line that an operator leaves open and a declaration with
its attributes are one statement."""
import re

CONTINUES = re.compile(r"\s*([.?:)\]]|&&|\|\||[-+*/|^<>=]\s|#(if|else|endif)\b)")
OPEN_ENDED = re.compile(r"([(,=?:\[]|&&|\|\||[-+*/|^<]|\b(return|try|unsafe))$")
ATTRIBUTES = re.compile(r"\s*(@\w+(\([^)]*\))?\s*)+")
DEPTH = {"(": 1, "{": 1, ")": -1, "}": -1}


def first_line(source, index, column):
    first = call_opening(source, index, column)
    while True:
        above = first - 1
        while source.is_comment(above):
            above -= 1
        code = source.code[above] if above >= 0 else ""
        joined = OPEN_ENDED.search(code) or ATTRIBUTES.fullmatch(code)
        if above < 0 or not (joined or CONTINUES.match(source.code[first])):
            return first
        first = above


def call_opening(source, index, column):
    """The line of the `(` that encloses a place; its own line where none does."""
    depth, end = 0, column
    for at in range(index, -1, -1):
        for char in reversed(source.code[at][:end]):
            depth += DEPTH.get(char, 0)
            if depth > 0:
                return at if char == "(" else index
        end = None
    return index


def last_line(source, index, column):
    """The line of the `)` that encloses a place; its own line where none does."""
    depth, begin = 0, column
    for at in range(index, len(source.code)):
        for char in source.code[at][begin:]:
            depth += DEPTH.get(char, 0)
            if depth < 0:
                return at if char == ")" else index
        begin = None
    return index
