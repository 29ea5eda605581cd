"""What the toolchain's compiler says of its modules, and of the programs of Tests/Corpus."""
import json
import pathlib
import subprocess


def graph(corpus, folder):
    """The toolchain's symbol graph, without what nobody can call; where the corpus names types,
    only those."""
    info = subprocess.run(["swift", "-print-target-info"], capture_output=True, check=True)
    triple = json.loads(info.stdout)["target"]["unversionedTriple"]
    subprocess.run(["swift", "symbolgraph-extract", "-module-name", corpus.theirs, "-target", triple,
                    "-sdk", "/", "-output-dir", folder], check=True)
    whole = json.loads((folder / f"{corpus.theirs}.symbols.json").read_text())
    listed = corpus.folder / "types"
    types = listed.read_text().split() if listed.exists() else None
    symbols = [symbol for symbol in whole["symbols"]
               if (types is None or symbol["pathComponents"][0] in types)
               and not any("obsoleted" in a or a.get("isUnconditionallyUnavailable")
                           for a in symbol.get("availability", []))]
    return symbols, whole


def members(symbols):
    """Each symbol that can be called: unique name, kind, path."""
    for symbol in symbols:
        yield (symbol["identifier"]["precise"], symbol["kind"]["identifier"],
               ".".join(symbol["pathComponents"]))


def promises(symbols, whole):
    """Each conformance of a type: the type's and the protocol's unique names, and in words."""
    types = {name: path for name, kind, path in members(symbols) if kind != "swift.protocol"}
    names = {name: path for name, _, path in members(whole["symbols"])}
    for line in whole["relationships"]:
        if line["kind"] == "conformsTo" and line["source"] in types:
            protocol = line.get("targetFallback") or names[line["target"]]
            yield line["source"], line["target"], f"{types[line['source']]}: {protocol.split('.')[-1]}"


def trees(corpus, folder):
    """The compiler's syntax trees of all programs, one after the other, as text."""
    files = [(str(path), str(folder / f"{path.stem}.json")) for path in corpus.sources()]
    each = [part for source, tree in files for part in ("-primary-file", source, "-o", tree)]
    subprocess.run(["swiftc", "-frontend", "-dump-ast", "-dump-ast-format", "json", "-parse-as-library",
                    "-suppress-warnings", "-module-name", "Corpus", *each], check=True)
    return "".join(pathlib.Path(tree).read_text() for _, tree in files)
