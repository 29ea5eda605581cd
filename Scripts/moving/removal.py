"""An import statement taken out of its file."""
import re


def without(text, code, each):
    """The text without a statement, and without its line if there is nothing else on it."""
    first = code.rfind("\n", 0, each.start) + 1
    last = code.find("\n", each.end) + 1 or len(code)
    before, after = code[first:each.start], code[each.end:last]
    around = text[first:each.start] + text[each.end:last]
    if not (before + after).strip("\ufeff \t\r\n"):
        start, end = (first, last) if around.count("/*") == around.count("*/") else (each.start, each.end)
    elif next_one := re.match(r"[ \t]*;[ \t]*", after):
        start, end = each.start, each.end + next_one.end()
    else:
        start, end = first + len(before.rstrip().removesuffix(";")), each.end
    return text[:start] + text[end:]
