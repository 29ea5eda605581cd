"""The file of names is enough for every program of Tests/Corpus, beside a module that re-exports
Foundation: together they use every member that the toolchain's modules have of these types."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from package import ROOT

sys.path.insert(0, str(ROOT / "Scripts"))
from corpus_place import CORPORA, MODES, MODULES
from moving.names_file import names_file

IMPORT = re.compile(r"^import (?:Foundation|Dispatch)$", re.M)


def compiled(folder, mode, *arguments):
    return subprocess.run(["swiftc", "-swift-version", mode, "-suppress-warnings", *MODULES, "-I", folder,
                           *arguments], cwd=folder, capture_output=True, text=True)


class CorpusWithNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["swift", "build", "--target", "SignalboxFoundation"], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)

    def test_every_program_compiles(self):
        for corpus in CORPORA:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "Web.swift").write_text("@_exported import Foundation\n")
                made = compiled(folder, "6", "-emit-module", "-module-name", "Web", "Web.swift")
                self.assertEqual(made.returncode, 0, made.stderr)
                (folder / "Web.swift").unlink()
                texts = [IMPORT.sub("import Web\nimport SignalboxFoundation", path.read_text())
                         for path in corpus.sources()]
                for number, text in enumerate(texts):
                    (folder / f"{number}.swift").write_text(text)
                files = sorted(path.name for path in folder.glob("*.swift"))
                arguments = ("-typecheck", "-parse-as-library", "-module-name", "Corpus", *files)
                self.assertIn("ambiguous", compiled(folder, "6", *arguments).stderr)
                (folder / "names.swift").write_text(names_file("SignalboxFoundation", "a test", texts))
                for mode in MODES:
                    with self.subTest(corpus.theirs, mode=mode):
                        run = compiled(folder, mode, *arguments, "names.swift")
                        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
