"""Builds the programs of Tests/Corpus into one executable for each library and mode."""
import concurrent.futures
import subprocess
import sys

from corpus_place import CORPORA, MODES, MODULES, imports_changed
from corpus_stamp import changed


def executable(corpus, library, mode):
    ours = corpus.objects() if library != corpus.theirs else None
    folder = corpus.place / f"{library}-{mode}"
    cases = "".join(f'case "{name}": {name}.run()\n' for name in corpus.programs())
    texts = {"main.swift": f"switch CommandLine.arguments.last! {{\n{cases}default: break\n}}\n"}
    for path in corpus.sources():
        texts[path.name] = imports_changed(path.read_text(), library)
    done = changed(folder, texts, ours)
    if done:
        for name, text in texts.items():
            (folder / name).write_text(text)
        subprocess.run(["swiftc", "-swift-version", mode, "-module-name", "Corpus", "-o", "corpus",
                        "-suppress-warnings", *texts, *([*MODULES, *ours[0]] if ours else [])],
                       cwd=folder, check=True, stdout=sys.stderr)
        done()
    return folder / "corpus"


def build(corpora=CORPORA):
    kinds = [(corpus, library, mode)
             for corpus in corpora for library in corpus.libraries for mode in MODES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(kinds, pool.map(lambda kind: executable(*kind), kinds)))
