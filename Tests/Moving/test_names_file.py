"""The file of names: for which targets it is made, and what is in it."""
import pathlib
import tempfile
import unittest

from package import ROOT, move, texts, written

EXPORT = "@_exported import {}\n"


class NamesFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def names(self, exporter, files):
        """The files of names, by target, of a package that uses a module with such a file."""
        written(self.folder / "web", {"Sources/Web/e.swift": exporter},
                'products: [.library(name: "Web", targets: ["Web"])], targets: [.target(name: "Web")]')
        targets = sorted({name.split("/")[0] for name in files})
        listed = ", ".join(f'.target(name: "{each}", dependencies: ["Web"])' for each in targets)
        package = written(self.folder / "p", {f"Sources/{name}": text for name, text in files.items()},
                          f'dependencies: [.package(path: "../web")], targets: [{listed}]')
        run = move(package, "--write")
        self.assertEqual(run.returncode, 0, run.stderr)
        return {name.split("/")[1]: text for name, text in texts(package).items()
                if name.endswith("/SignalboxNames.swift")}

    def test_it_is_made_where_such_a_module_is_imported(self):
        names = self.names(EXPORT.format("Foundation"), {
            "A/a.swift": "import Web\n", "B/b.swift": "import Foundation\n", "C/c.swift": "// import Web\n",
            "D/d.swift": "@preconcurrency import Web\n"})
        self.assertEqual(list(names), ["A", "D"])

    def test_own_targets_that_pass_it_on_count_and_own_ones_that_move_do_not(self):
        names = self.names(EXPORT.format("Foundation"), {
            "A/a.swift": EXPORT.format("Web"), "B/b.swift": "import A\n",
            "C/c.swift": EXPORT.format("Foundation"), "D/d.swift": "import C\n"})
        self.assertEqual(list(names), ["A", "B"])

    def test_modules_that_re_export_nothing_of_ours_need_none(self):
        exporter = EXPORT.format("FoundationEssentials") + "@_exported import struct Foundation.URL\n" \
            "import Foundation\n"
        self.assertEqual(self.names(exporter, {"A/a.swift": "import Web\nimport Foundation\n"}), {})

    def test_a_single_type_that_is_ours_here_needs_them(self):
        names = self.names("@_exported import class Foundation.OperationQueue\n", {
            "A/a.swift": "import Web\nimport Foundation\n"})
        self.assertIn("typealias OperationQueue = SignalboxFoundation.OperationQueue\n", names["A"])

    def test_types_of_the_target_keep_their_names(self):
        names = self.names(EXPORT.format("XCTest"), {
            "A/a.swift": "import Web\nstruct Timer { enum Port {} }\n", "A/b.swift": "protocol Thread {}\n"})
        for name, is_there in (("Timer", False), ("Thread", False), ("Port", True), ("RunLoop", True)):
            self.assertEqual(f"typealias {name} = SignalboxFoundation.{name}\n" in names["A"], is_there, name)

    def test_dispatch_alone_needs_the_names_of_dispatch(self):
        text = self.names(EXPORT.format("Dispatch"), {"A/a.swift": "import Web\nimport Dispatch\n"})["A"]
        self.assertIn("typealias DispatchQueue = SignalboxDispatch.DispatchQueue\n", text)
        self.assertNotIn("Foundation", text)

    def test_it_has_every_type_that_the_corpus_has(self):
        text = self.names(EXPORT.format("Foundation"), {"A/a.swift": "import Web\n"})["A"]
        for name in (ROOT / "Tests/Corpus/Foundation/types").read_text().split():
            self.assertIn(f"typealias {name} = SignalboxFoundation.{name}\n", text)


if __name__ == "__main__":
    unittest.main()
