"""`import CoreFoundation` beside ours: its run loop's names would be there twice, so a file imports
what it uses of the rest, name by name."""
import functools
import json
import pathlib
import re
import subprocess
import tempfile

from moving.names import ROOT
from moving.removal import without

KINDS = {"swift.func": "func", "swift.var": "var", "swift.class": "class", "swift.struct": "struct",
         "swift.enum": "enum", "swift.typealias": "typealias"}
NAME = re.compile(r"\bk?CF\w+")
PUBLIC = re.compile(r"^(?:public|open) (?:final )?(?:func|class|struct|enum|typealias|let|var) (k?CF\w+)", re.M)
# What a run loop is asked with has these names here as well, with types of ours.
SHARED = {"CFString", "CFAllocator", "kCFAllocatorDefault"}
REPLACED = {"Foundation", "XCTest", "FoundationNetworking"}


@functools.cache
def theirs():
    """The kind of each name of the toolchain's module."""
    known = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    target = json.loads(known)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["swift", "symbolgraph-extract", "-module-name", "CoreFoundation", "-output-dir", folder,
                        "-target", target["target"]["unversionedTriple"],
                        "-I", target["paths"]["runtimeLibraryPaths"][0]], check=True, capture_output=True)
        graph = json.loads(pathlib.Path(folder, "CoreFoundation.symbols.json").read_text())
    return {symbol["names"]["title"].split("(")[0]: KINDS[symbol["kind"]["identifier"]]
            for symbol in graph["symbols"] if len(symbol["pathComponents"]) == 1}


@functools.cache
def ours():
    files = sorted((ROOT / "Sources/SignalboxRunLoop").rglob("*.swift"))
    return {name for path in files for name in PUBLIC.findall(path.read_text(encoding="utf-8"))}


def is_replaced(each):
    """Whether an import is one of the whole module. One that is passed on stays: nobody knows for whom."""
    return each.module == "CoreFoundation" and not each.name and "@_exported" not in each.attributes


def replaced(text, code, each, all_):
    """The text with what the file uses in place of the whole module."""
    used = set(NAME.findall(code))
    apart = used & theirs().keys() - ours()
    if apart:
        apart |= used & SHARED
    start = text[each.start:each.module_start]
    statements = [f"{start}{theirs()[name]} CoreFoundation.{name}" for name in sorted(apart)]
    if used & ours() - apart and not any(
            other.module.removeprefix("Signalbox") in REPLACED and not other.name for other in all_):
        statements.insert(0, f"{start}SignalboxFoundation")
    if not statements:
        return without(text, code, each)
    before = text[text.rfind("\n", 0, each.start) + 1:each.start]
    line = "\r\n" if "\r\n" in text else "\n"
    joint = "; " if before.strip("\ufeff \t") else line + before.lstrip("\ufeff")
    return text[:each.start] + joint.join(statements) + text[each.end:]
