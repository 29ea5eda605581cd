"""What the toolchain's compiler says of its Dispatch, and of the programs of Tests/Corpus."""
import json
import pathlib
import subprocess

from corpus_place import sources


def members(folder):
    """Each symbol that can be called: unique name, kind, path."""
    info = subprocess.run(["swift", "-print-target-info"], capture_output=True, check=True)
    triple = json.loads(info.stdout)["target"]["unversionedTriple"]
    subprocess.run(["swift", "symbolgraph-extract", "-module-name", "Dispatch", "-target", triple,
                    "-sdk", "/", "-output-dir", folder], check=True)
    for symbol in json.loads((folder / "Dispatch.symbols.json").read_text())["symbols"]:
        if not any("obsoleted" in a or a.get("isUnconditionallyUnavailable")
                   for a in symbol.get("availability", [])):
            yield (symbol["identifier"]["precise"], symbol["kind"]["identifier"],
                   ".".join(symbol["pathComponents"]))


def trees(folder):
    """The compiler's syntax trees of all programs, one after the other, as text."""
    files = [(str(path), str(folder / f"{path.stem}.json")) for path in sources()]
    each = [part for source, tree in files for part in ("-primary-file", source, "-o", tree)]
    subprocess.run(["swiftc", "-frontend", "-dump-ast", "-dump-ast-format", "json", "-parse-as-library",
                    "-suppress-warnings", "-module-name", "Corpus", *each], check=True)
    return "".join(pathlib.Path(tree).read_text() for _, tree in files)
