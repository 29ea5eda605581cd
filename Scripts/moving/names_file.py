"""The file that makes a target's names ours, where a dependency re-exports the toolchain's."""
import re

from moving.imports import imports
from moving.names import replaced, told_in_background
from moving.names_template import FUNCTIONS, HEADER, METHOD

NAME = "SignalboxNames.swift"
DECLARED = re.compile(r"[{}]|\b(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)")


def declared(text):
    """The types that a file declares outside of every other."""
    depth = 0
    for match in DECLARED.finditer(imports(text)[0]):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match[1] and not depth:
            yield match[1]


def names_file(product, why, texts):
    """Its text, for a target with these files; names that the target declares itself stay its own."""
    own = {name for text in texts for name in declared(text)}
    text = HEADER.format(why=why, product=product)
    text += "".join(f"public typealias {name} = {product}.{name}\n" for name, module in replaced().items()
                    if name not in own and product in (module, "SignalboxFoundation"))
    text += FUNCTIONS.format(product=product)
    if product == "SignalboxFoundation" and not own & {"FileHandle", "RunLoop"}:
        methods = "".join(METHOD.replace("NAME", name) for name in told_in_background())
        text += f"\n// Those that post in a run loop of ours.\nextension FileHandle {{{methods[:-1]}\n}}\n"
    return text.replace("FileHandle {\n\n", "FileHandle {\n") + "#endif\n"
