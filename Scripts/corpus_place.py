"""Where the programs of Tests/Corpus are, and what is built of them and for them."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / ".build/debug"
LIBRARY, MODES = ROOT / "out/drop-in/lib/signalbox/libdispatch.so", ("5", "6")
# Where the compiler finds the modules of the package.
MODULES = ["-I", str(BUILT / "Modules"),
           *(f"-I{ROOT}/Sources/{name}/include" for name in ("CSignalbox", "CSignalboxPage", "CSignalboxDropIn"))]
# The toolchain's module, ours in its place, and the targets that ours is made of, itself first.
PARTS = {
    "Dispatch": "SignalboxDispatch SignalboxDiagnostics SignalboxRuntime CSignalbox",
    "Foundation": "SignalboxFoundation Signalbox SignalboxTrace SignalboxPatterns SignalboxOperations"
                  " SignalboxRunLoop SignalboxThreads SignalboxLocks SignalboxDispatch"
                  " SignalboxDiagnostics SignalboxRuntime CSignalboxPage CSignalbox",
}
OURS = {theirs: parts.split()[0] for theirs, parts in PARTS.items()}


@dataclasses.dataclass(frozen=True)
class Corpus:
    """The programs upon one module of the toolchain."""
    theirs: str

    libraries = property(lambda self: (self.theirs, OURS[self.theirs]))
    folder = property(lambda self: ROOT / "Tests/Corpus" / self.theirs)
    place = property(lambda self: ROOT / ".build/corpus" / self.theirs)

    def sources(self):
        return sorted((self.folder / "Programs").glob("*.swift"))

    def programs(self):
        """The files that have something to run; it is in an enum that has the file's name."""
        return [path.stem for path in self.sources() if "static func run()" in path.read_text()]

    def objects(self):
        """The object files whose sources are still there, and when they were made."""
        files = [path for name in PARTS[self.theirs].split()
                 for path in sorted(BUILT.glob(f"{name}.build/**/*.o"))
                 if any((ROOT / "Sources" / name).rglob(path.stem))]
        return [str(path) for path in files], [path.stat().st_mtime_ns for path in files]

    def table(self, name, width):
        """The rows of a list of the corpus beneath its first line, and what is wrong with them."""
        path = self.folder / name
        rows = [line.split("\t") for line in path.read_text().splitlines()[1:]] if path.exists() else []
        return ({tuple(row[:-1]) for row in rows},
                [f"{path.relative_to(ROOT)}: not {width} fields: {row}" for row in rows if len(row) != width])


CORPORA = tuple(Corpus(theirs) for theirs in PARTS)


def imports_changed(text, library):
    """The text with its import lines changed, where `library` is ours."""
    return text if library in OURS else re.sub(
        rf"(?m)^import ({'|'.join(OURS)})$", lambda line: f"import {OURS[line[1]]}", text)
