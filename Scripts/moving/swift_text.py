"""Swift source without its comments and literals, each character in its place."""
import re

# A regular expression between bare slashes stands where an operand does, and ends in its line.
BARE = r"(?<=[=(\[,:;{&|?!])[ \t]*/(?![\s*/)])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\[\\/\n])+/(?![*/])"
OPENING = re.compile(
    rf'(?P<bare>{BARE})|(?P<line>//)|(?P<block>/\*)|(?P<marks>#*)(?P<quote>"""|")|(?P<regex>#+)/')
IN_BLOCK = re.compile(r"/\*|\*/")
IN_INTERPOLATION = re.compile(rf"[()]|{OPENING.pattern}")
VISIBLE = re.compile(r"[^\r\n]")


def end_of_block(text, at):
    depth = 1
    while depth and (mark := IN_BLOCK.search(text, at)):
        depth, at = depth + (1 if mark[0] == "/*" else -1), mark.end()
    return at if not depth else len(text)


def end_of_string(text, at, marks, quote):
    inside = re.compile(rf'(?P<end>{quote}{marks})|\\{marks}(?P<code>\()?|(?P<line>\n)')
    while found := inside.search(text, at):
        if found["end"] or found["line"] and quote == '"':
            return found.end() if found["end"] else found.start()
        at = end_of_interpolation(text, found.end()) if found["code"] else \
            found.end() + (0 if found["line"] else 1)
    return len(text)


def end_of_interpolation(text, at):
    depth = 1
    while depth and (found := IN_INTERPOLATION.search(text, at)):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        at = found.end() if found[0] in "()" else end_of(text, found)
    return at


def end_of(text, opening):
    """Where the comment or literal ends whose first characters were found."""
    if opening["bare"]:
        return opening.end()
    if opening["block"]:
        return end_of_block(text, opening.end())
    if opening["quote"]:
        return end_of_string(text, opening.end(), opening["marks"], opening["quote"])
    end = text.find("\n" if opening["line"] else "/" + opening["regex"], opening.end())
    return len(text) if end < 0 else end if opening["line"] else end + 1 + len(opening["regex"])


def code_of(text):
    """The text with spaces in place of every comment and literal."""
    parts, at = [], 0
    while opening := OPENING.search(text, at):
        end = end_of(text, opening)
        parts += [text[at:opening.start()], VISIBLE.sub(" ", text[opening.start():end])]
        at = end
    return "".join(parts) + text[at:]
