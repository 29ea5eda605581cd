"""The instructions of a function that orders memory, from `llvm-objdump -dr`."""
import re

LINE = re.compile(r"\s*\w+:\s+((?:lock )?\w+)\s*(.*)")


def shown(body):
    """The instructions that touch memory other than the stack, fences, and libgcc's functions."""
    for line in re.sub(r"\tlock\n\s*\w+:\s+", "\tlock ", body).splitlines():
        word, operands = LINE.match(line).groups()
        if "(%rdi)" in operands or "[x0]" in operands or word.startswith(("lock", "mfence")):
            yield f"`{word}`"
        elif word == "dmb":
            yield f"`{word} {operands}`"
        elif word.startswith("R_AARCH64"):
            yield f"`{operands}`"
