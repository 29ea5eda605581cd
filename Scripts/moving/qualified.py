"""Where a file names a type of the toolchain by its module: that goes on meaning the toolchain's."""
import re

from moving.imports import imports
from moving.names import replaced


def qualified(text):
    """The lines that name the toolchain's type by its module, where ours has the name too."""
    code, _ = imports(text)
    for match in re.finditer(r"(?<![\w.])(Foundation|Dispatch)\s*(\.|::)\s*(\w+)", code):
        before = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
        if match[3] in replaced() and not re.search(r"\bimport\b[^;]*$", before):
            yield code.count("\n", 0, match.start()) + 1, match[1], match[2], match[3]
