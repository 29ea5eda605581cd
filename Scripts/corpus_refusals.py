"""What must not compile, with the toolchain's Dispatch and with ours alike.

The lines of Tests/Corpus/Refusals that a compiler refuses end in a mark: `// refused`, or with
`by LIBRARY`, `in Swift MODE` after it. Every other line must be taken, and where both libraries
refuse a line, they must do so for the same reason."""
import concurrent.futures
import re
import subprocess

from corpus_place import CORPUS, LIBRARIES, MODES, MODULES, PLACE, changed, objects

MARK = re.compile(r"// refused(?: by (\w+))?(?: in Swift (\d))?$")
ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.M)
# What the libraries spell differently, and mean alike.
SPELLING = re.compile(r"@convention\(block\) |\(\)(?=')|Void(?=')|'let' constant|get-only property")


def marked(text, library, mode):
    """The numbers of the lines that `library` must refuse."""
    marks = ((number, MARK.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {n for n, m in marks if m and m[1] in (None, library) and m[2] in (None, mode)}


def refused(text, library, mode):
    """The lines that are refused: number to reasons."""
    run = subprocess.run(["swiftc", "-frontend", "-emit-sil", "-o", "/dev/null", "-swift-version",
                          mode, "-diagnostic-style", "llvm", "-suppress-warnings", "-module-name",
                          "Refusals", "-parse-as-library", *MODULES, "-"], text=True,
                         input=text.replace("import Dispatch", f"import {library}"), capture_output=True)
    reasons = {}
    for number, reason in ERROR.findall(run.stderr):
        reasons.setdefault(int(number), set()).add(SPELLING.sub("", reason))
    return reasons


def problems(path, mode):
    text, found = path.read_text(), {}
    for library in LIBRARIES:
        found[library] = refused(text, library, mode)
        for number in sorted(marked(text, library, mode) ^ set(found[library])):
            verb = "refuses" if number in found[library] else "takes"
            yield f"{path.name}:{number}: {library} {verb} it as Swift {mode}"
    theirs, ours = (found[library] for library in LIBRARIES)
    yield from (f"{path.name}:{number}: refused for another reason, as Swift {mode}\n"
                f"  Dispatch:  {theirs[number]}\n  Signalbox: {ours[number]}"
                for number in sorted(set(theirs) & set(ours)) if theirs[number] != ours[number])


def wrongly_taken():
    files = sorted((CORPUS / "Refusals").glob("*.swift"))
    done = changed(PLACE / "refusals", [file.read_text() for file in files], objects())
    if not done:
        return []
    jobs = [(file, mode) for file in files for mode in MODES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = sum(pool.map(lambda job: list(problems(*job)), jobs), [])
    if not found:
        done()
    return found
