"""The names that are ours in place of the toolchain's, read from the replacements' own sources."""
import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Foundation's types that the replacement declares itself.
DECLARED = re.compile(r"^(?:public final|public|open) class (NotificationQueue)\b", re.M)
ALIAS = re.compile(r"^public typealias (\w+) = (\w+)\.\1$", re.M)
FUNCTION = re.compile(r"^public func (\w+)", re.M)
EXTENSION = re.compile(r"^extension (?:Foundation\.)?(\w+)", re.M)


@functools.cache
def sources():
    replacement = ROOT / "Sources/SignalboxFoundation"
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(replacement.rglob("*.swift")))


@functools.cache
def replaced():
    """Each type that hides one of the toolchain's, and the module that declares it."""
    declared = {name: "SignalboxFoundation" for name in DECLARED.findall(sources())}
    return {**dict(ALIAS.findall(sources())), **declared}


@functools.cache
def changed_by_us():
    """What is another thing, or can do more, where it comes from `SignalboxFoundation`."""
    return {*replaced(), *FUNCTION.findall(sources()), *EXTENSION.findall(sources())}


@functools.cache
def told_in_background():
    """The methods of `FileHandle` that are here once more."""
    return list(dict.fromkeys(re.findall(r"func (\w+InBackgroundAndNotify)\(\)", sources())))
