"""Where the programs of Tests/Corpus are, and what is built of them and for them."""
import hashlib
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS, PLACE, BUILT = ROOT / "Tests/Corpus", ROOT / ".build/corpus", ROOT / ".build/debug"
MODES, LIBRARIES = ("5", "6"), ("Dispatch", "SignalboxDispatch")
TARGETS = ("SignalboxDispatch", "SignalboxRuntime", "CSignalbox")
# Where the compiler finds the modules of the package.
MODULES = ["-I", str(BUILT / "Modules"), "-Xcc",
           f"-fmodule-map-file={ROOT}/Sources/CSignalbox/include/module.modulemap"]


def sources():
    return sorted((CORPUS / "Programs").glob("*.swift"))


def programs():
    """The files that have something to run; it is in an enum that has the file's name."""
    return [path.stem for path in sources() if "static func run()" in path.read_text()]


def objects():
    """The object files whose sources are still there, and when they were made."""
    files = [path for name in TARGETS for path in sorted(BUILT.glob(f"{name}.build/**/*.o"))
             if any((ROOT / "Sources" / name).rglob(path.stem))]
    return [str(path) for path in files], [path.stat().st_mtime_ns for path in files]


def changed(folder, *content):
    """None if the content is that of the last success there, else what to call at success."""
    digest, stamp = hashlib.sha256(repr(content).encode()).hexdigest(), folder / "stamp"
    if stamp.exists() and stamp.read_text() == digest:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    return lambda: stamp.write_text(digest)
