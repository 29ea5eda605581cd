"""The package manager on our library builds and tests a package that knows nothing of it."""
import pathlib
import re
import shutil
import tempfile
import unittest

from place import on_ours

PACKAGE = pathlib.Path(__file__).parent / "Package"


class Packages(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name, "Sums")
        shutil.copytree(PACKAGE, self.folder, ignore=shutil.ignore_patterns(".build"))

    def tearDown(self):
        self.temporary.cleanup()

    def swift(self, *words, options=()):
        outcome = on_ours(*words, "--package-path", self.folder, options=options)
        self.assertEqual(outcome.returncode, 0, f"{outcome.stdout}\n{outcome.stderr}")
        self.assertNotIn("SIGNALBOX", outcome.stderr)
        return outcome.stdout

    def test_it_builds_a_package_each_time(self):
        for _ in range(3):
            self.swift("swift-build")
            program = self.folder / ".build/debug/sums"
            self.assertEqual(on_ours(program).stdout, "4950\n")
            shutil.rmtree(self.folder / ".build")

    def test_suites_of_both_kinds_run(self):
        said = self.swift("swift-test", options=["--children"])
        self.assertRegex(said, r"Executed 3 tests, with 0 failures")
        self.assertTrue(re.search(r"Test run with \d+ tests? .*passed", said), said)
        self.assertIn("threads of Signalbox: true", said)


if __name__ == "__main__":
    unittest.main()
