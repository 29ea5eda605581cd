"""Subclasses that override every member which Foundation lets one override."""
import json
import pathlib
import re
import subprocess

CLASSES = ["Thread", "Timer", "RunLoop", "Operation", "BlockOperation", "OperationQueue", "NSLock", "NSRecursiveLock",
           "NSCondition", "NSConditionLock", "NotificationQueue", "Port", "SocketPort", "PortMessage"]
# The compiler refuses every subclass of these where Foundation is the toolchain's.
SEALED = {"Thread", "RunLoop", "NSLock", "NSRecursiveLock", "NSCondition"}
# Members that our modules can only give in an extension, since their types are Foundation's: see "Overrides
# of what an extension gives" in Moving.md.
EXTENSIONS = {
    "Thread": ["callStackReturnAddresses", "threadDictionary"], "OperationQueue": ["progress"],
    "Port": ["copy", "send", "send"], "SocketPort": ["hash", "isEqual", "send", "send"],
    "PortMessage": ["components"],
}


def members(folder):
    """The symbols of Foundation that are open, of each class."""
    target = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True,
                                       check=True).stdout)
    subprocess.run(["swift", "symbolgraph-extract", "-module-name", "Foundation", "-minimum-access-level", "open",
                    "-target", target["target"]["unversionedTriple"], "-output-dir", folder,
                    "-I", target["paths"]["runtimeLibraryPaths"][0]], check=True, capture_output=True)
    found = {name: [] for name in CLASSES}
    for symbol in json.loads(pathlib.Path(folder, "Foundation.symbols.json").read_text())["symbols"]:
        owner, *name = symbol["pathComponents"]
        if owner in found and len(name) == 1 and symbol["accessLevel"] == "open":
            found[owner].append(symbol)
    return found


def override(symbol):
    """The member once more, in a subclass; a line."""
    words = "".join(part["spelling"] for part in symbol["declarationFragments"])
    words = re.sub(r"unowned\(unsafe\) |override | = nil", "", words)
    title = symbol["names"]["title"]
    if "method" in symbol["kind"]["identifier"]:
        name, labels = re.fullmatch(r"(\w+)\((.*)\)", title).groups()
        parameters = symbol["functionSignature"].get("parameters", [])
        arguments = ", ".join(("" if label == "_" else f"{label}: ") + parameter.get("internalName", parameter["name"])
                              for label, parameter in zip(labels.split(":"), parameters))
        return f"  override {words} {{ super.{name}({arguments}) }}"
    head = words.split(" {")[0]
    if "{ get }" in words:
        return f"  override {head} {{ super.{title} }}"
    return f"  override {head} {{ get {{ super.{title} }} set {{ super.{title} = newValue }} }}"


def subclass(name, symbols):
    lines = sorted(map(override, symbols))
    return "\n".join([f"class Own{name}: {name}, @unchecked Sendable {{", *lines, "}", ""])
