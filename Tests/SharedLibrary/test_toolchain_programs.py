"""Programs of the toolchain that use Dispatch, Foundation and tasks, on our library: they answer what
they answer on the toolchain's. `test_packages` has the package manager."""
import json
import pathlib
import shutil
import tempfile
import time
import unittest

from language_server import Server
from place import ENVIRONMENT, LIMIT, TOOL, on_ours, run

PACKAGE = pathlib.Path(__file__).parent / "Package"


class ToolchainPrograms(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name).resolve()

    def tearDown(self):
        self.temporary.cleanup()


class Formatter(ToolchainPrograms):
    """Works on the files with `concurrentPerform`."""

    def test_it_finds_the_same_faults(self):
        for number in range(200):
            (self.folder / f"F{number}.swift").write_text(f"func f{number}( ) {{ }}\n\n\nlet  a = {number};\n")
        command = ["swift-format", "lint", "--parallel", "--recursive", self.folder]
        ours, stock = on_ours(*command), run(*command)
        self.assertEqual(ours.returncode, stock.returncode)
        self.assertGreaterEqual(len(stock.stderr.splitlines()), 200)
        self.assertEqual(sorted(ours.stderr.splitlines()), sorted(stock.stderr.splitlines()))


class DocumentationCompiler(ToolchainPrograms):
    def test_it_makes_the_same_pages(self):
        catalog = self.folder / "Sums.docc"
        catalog.mkdir()
        for number in range(50):
            (catalog / f"Page{number}.md").write_text(
                f"# Page {number}\n\nSee <doc:Page{(number + 1) % 50}>.\n\n## Topics\n\n### Next\n")
        made = []
        for start, name in ((on_ours, "ours"), (run, "stock")):
            outcome = start("docc", "convert", catalog, "--fallback-display-name", "Sums",
                            "--fallback-bundle-identifier", "org.example.sums",
                            "--output-path", self.folder / name)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            pages = sorted((self.folder / name / "data").rglob("*.json"))
            made.append({page.name: json.loads(page.read_text()) for page in pages})
        self.assertGreaterEqual(len(made[1]), 50)
        self.assertEqual(made[0], made[1])


class LanguageServer(ToolchainPrograms):
    """An editor's questions about a package. The server builds an index of it in the background, with
    tasks, Foundation's processes, and a C++ library that uses Dispatch from C."""

    def setUp(self):
        super().setUp()
        self.package = self.folder / "Sums"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns(".build"))
        self.library = self.package / "Sources/Sums/Sums.swift"
        self.program = self.package / "Sources/sums-tool/main.swift"

    @staticmethod
    def asked(server, method, is_answer, **parameters):
        """The answer of a server that knows the modules which a file imports. It opens the file anew half a
        second after they were built, and `workspace/synchronize` does not wait for that."""
        end = time.monotonic() + LIMIT
        answer = server.ask(method, **parameters)
        while not is_answer(answer) and time.monotonic() < end:
            time.sleep(0.1)
            answer = server.ask(method, **parameters)
        return answer

    def answers(self, *prefix):
        """What the server says about `below`, about a fault, and after many changes."""
        with Server([*prefix, "sourcekit-lsp"], self.package, ENVIRONMENT, LIMIT) as server:
            self.program.write_text("import Sums\n\nprint(Sums.below(100))\nlet word: String = Sums.below(1)\n")
            for file in (self.library, self.program):
                server.open(file)
            server.ask("workspace/synchronize", index=True)
            use = {"textDocument": {"uri": self.program.as_uri()}, "position": {"line": 2, "character": 12}}
            told = [self.asked(server, "textDocument/hover", lambda answer: isinstance(answer, dict), **use),
                    server.ask("textDocument/definition", **use),
                    server.ask("textDocument/references", **use, context={"includeDeclaration": True}),
                    self.asked(server, "textDocument/diagnostic",
                               lambda answer: (isinstance(answer, dict) and answer["items"]
                                               and "no such module" not in json.dumps(answer)),
                               textDocument=use["textDocument"]),
                    server.ask("workspace/tests")]
            text = self.library.read_text()
            for version in range(2, 42):
                server.change(self.library, version, text + f"enum Later{version} {{}}\n" * version)
            told.append(server.ask("textDocument/documentSymbol", textDocument={"uri": self.library.as_uri()}))
            self.assertEqual(server.end(), 0)
        shutil.rmtree(self.package / ".build")
        return told

    def test_it_answers_an_editor(self):
        ours = self.answers(TOOL, "run", "--")
        hover, definition, references, diagnostics, tests, symbols = ours
        self.assertIn("The sum of the numbers below", hover["contents"]["value"])
        self.assertEqual([place["uri"] for place in definition], [self.library.as_uri()])
        self.assertGreaterEqual(len(references), 3)
        self.assertIn("Int", diagnostics["items"][0]["message"])
        self.assertTrue(tests)
        self.assertEqual(len(symbols), 42)
        self.assertEqual(ours, self.answers())


if __name__ == "__main__":
    unittest.main()
