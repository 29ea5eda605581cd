"""The programs of Tests/DropIn, linked without the product: they import the toolchain's Dispatch and
Foundation, and use tasks. Tests/DropIn builds them and is tested first."""
import json
import pathlib
import re
import tempfile
import unittest

from place import BUILT, LIBRARY, ROOT, TOOL, linked, on_ours, run

PACKAGES = ("OnlyDispatch", "OnlyFoundation", "OnlyTasks")
ENUMERATION = (ROOT / "Tests/DropIn/Sources/StockScenarios/StockScenario.swift").read_text()
SCENARIOS = [word for word in re.findall(r"\w+", re.split("[{}]", ENUMERATION)[1]) if word != "case"]


class SwiftPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = cls.temporary.name
        cls.stock = linked(folder, "StockProgram", "StockScenarios", "CUndeclared", *PACKAGES)
        cls.asynchronous = linked(folder, "AsyncStockProgram", "OnlyTasks")
        cls.loop = linked(folder, "LoopStockProgram")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def expect(self, outcome, output="done\n"):
        self.assertEqual((outcome.stdout, outcome.stderr, outcome.returncode), (output, "", 0))

    def expect_ours(self, threads):
        # One that has just started has the program's name yet.
        names = [name for name in threads if name != "thread=StockProgram"]
        self.assertTrue(names)
        for name in names:
            self.assertTrue(name.startswith("thread=sb-"), threads)

    def test_the_toolchains_interface_works(self):
        self.assertGreater(len(SCENARIOS), 5)
        for scenario in SCENARIOS:
            with self.subTest(scenario):
                self.expect(on_ours(self.stock, scenario))

    def test_an_asynchronous_main_ends(self):
        self.expect(on_ours(self.asynchronous))

    def test_foundations_main_run_loop_serves_the_main_queue(self):
        self.expect(on_ours(self.loop))

    def test_every_thread_is_ours(self):
        outcome = on_ours(self.stock)
        self.assertEqual((outcome.stderr, outcome.returncode), ("", 0))
        self.expect_ours(outcome.stdout.split())

    # MARK: A program that has the functions itself

    def test_a_program_with_the_product_runs_as_it_is(self):
        for program in (BUILT / "StockProgram", BUILT / "CProgram"):
            told = on_ours(program, "none", options=["--verbose"])
            self.assertIn("is linked with SignalboxDropIn, and runs as it is", told.stderr)
            self.assertNotIn("LD_LIBRARY_PATH", told.stderr)

    def test_a_program_with_the_product_keeps_its_own_beside_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.txt")
            outcome = run(BUILT / "StockProgram", LD_LIBRARY_PATH=str(LIBRARY.parent),
                          SIGNALBOX_TRACE=str(page), SIGNALBOX_RUN_BEFORE="-")
            self.assertEqual((outcome.stderr, outcome.returncode), ("", 0))
            self.expect_ours(outcome.stdout.split())
            self.assertIn("com.apple.main-thread", page.read_text())

    def test_the_toolchains_own_programs_run(self):
        shown = on_ours("swift-build", "--version")
        self.assertEqual((shown.stderr, shown.returncode), ("", 0))
        self.assertIn("Swift Package Manager", shown.stdout)

    def test_a_recording_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.txt")
            outcome = run(TOOL, "run", self.stock, SIGNALBOX_TRACE=str(page))
            self.assertEqual((outcome.stderr, outcome.returncode), ("", 0))
            self.assertIn("org.example", page.read_text())

    def test_the_places_of_a_recording_are_functions_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.json")
            outcome = run(TOOL, "run", self.stock, SIGNALBOX_TRACE=str(page), SIGNALBOX_ADVICE="1")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            texts = json.loads(page.read_text())["strings"]
            self.assertIn("static OnlyDispatch.OnlyDispatch.runItems(Swift.Int) -> Swift.Int", texts)
            for text in texts:
                self.assertNotRegex(text, r"^_?dispatch_|SignalboxDropIn|^Dispatch\.")


if __name__ == "__main__":
    unittest.main()
