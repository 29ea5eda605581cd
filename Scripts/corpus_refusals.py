"""What must not compile, with the toolchain's modules and with ours alike.

The lines of Tests/Corpus/*/Refusals that a compiler refuses end in a mark: `// refused`, or with
`by LIBRARY`, `in Swift MODE` after it, and some of the compiler's words after a colon. Every other line
must be taken, and where both libraries refuse a line, they must do so for the same reason."""
import concurrent.futures
import re
import subprocess

from corpus_place import MODES, MODULES, imports_changed
from corpus_stamp import changed

MARK = re.compile(r"// refused(?: by (\w+))?(?: in Swift (\d))?(?:: (.*))?$")
ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.M)
# What the libraries spell differently, and mean alike; of an initializer nobody may call, arguments.
SPELLING = re.compile(r"@convention\(block\) |\(\)(?=')|Void(?=')|; Use .*|setter is inaccessible|is a (?:'let'"
                      r" constant|get-only property)|^missing argument for parameter #1 in call$")


def marked(text, library, mode):
    """The lines that `library` must refuse: number to the reason, or to nothing."""
    marks = ((number, MARK.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {n: m[3] for n, m in marks if m and m[1] in (None, library) and m[2] in (None, mode)}


def refused(text, library, mode):
    """The lines that are refused: number to reasons."""
    run = subprocess.run(["swiftc", "-frontend", "-emit-sil", "-o", "/dev/null", "-swift-version",
                          mode, "-diagnostic-style", "llvm", "-suppress-warnings", "-module-name",
                          "Refusals", "-parse-as-library", *MODULES, "-"], capture_output=True,
                         text=True, input=imports_changed(text, library))
    reasons = [(int(number), SPELLING.sub("", reason)) for number, reason in ERROR.findall(run.stderr)]
    return {n: {reason for number, reason in reasons if number == n and reason} for n, _ in reasons}


def problems(corpus, path, mode):
    text, found = path.read_text(), {}
    for library in corpus.libraries:
        found[library], marks = refused(text, library, mode), marked(text, library, mode)
        for number in sorted(set(marks) ^ set(found[library])):
            yield f"{path.name}:{number}: {library}, as Swift {mode}: {found[library].get(number, 'taken')}"
        yield from (f"{path.name}:{number}: {library} says, as Swift {mode}: {found[library][number]}"
                    for number, words in marks.items()
                    if words and words not in str(found[library].get(number, words)))
    theirs, ours = (found[library] for library in corpus.libraries)
    yield from (f"{path.name}:{number}: refused for another reason, as Swift {mode}\n"
                f"  {corpus.theirs}:  {theirs[number]}\n  Signalbox: {ours[number]}"
                for number in sorted(set(theirs) & set(ours)) if theirs[number] != ours[number])


def wrongly_taken(corpus):
    files = sorted((corpus.folder / "Refusals").glob("*.swift"))
    done = changed(corpus.place / "refusals", [file.read_text() for file in files], corpus.objects())
    jobs = [(corpus, file, mode) for file in files for mode in MODES] if done else []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = sum(pool.map(lambda job: list(problems(*job)), jobs), [])
    if done and not found:
        done()
    return found
