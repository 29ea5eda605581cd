"""Builds the programs of Tests/Corpus into one executable for each library and mode."""
import concurrent.futures
import re
import subprocess
import sys

from corpus_place import LIBRARIES, MODES, MODULES, PLACE, changed, objects, programs, sources


def executable(library, mode):
    folder, ours = PLACE / f"{library}-{mode}", objects() if library != "Dispatch" else None
    cases = "".join(f'case "{name}": {name}.run()\n' for name in programs())
    texts = {"main.swift": f"switch CommandLine.arguments.last! {{\n{cases}default: break\n}}\n"}
    for path in sources():
        texts[path.name] = re.sub(r"(?m)^import Dispatch$", f"import {library}", path.read_text())
    done = changed(folder, texts, ours)
    if done:
        for name, text in texts.items():
            (folder / name).write_text(text)
        subprocess.run(["swiftc", "-swift-version", mode, "-module-name", "Corpus", "-o", "corpus",
                        "-suppress-warnings", *texts, *([*MODULES, *ours[0]] if ours else [])],
                       cwd=folder, check=True, stdout=sys.stderr)
        done()
    return folder / "corpus"


def build():
    kinds = [(library, mode) for library in LIBRARIES for mode in MODES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(kinds, pool.map(lambda kind: executable(*kind), kinds)))
