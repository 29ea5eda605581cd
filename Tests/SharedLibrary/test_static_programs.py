"""A program with the product and with Swift's libraries linked into it: it has every name, so nothing
of the toolchain's libdispatch.a is in it."""
import pathlib
import subprocess
import tempfile
import unittest

from place import on_ours, run
from drop_in import TOOLCHAIN, names
from drop_in_link import MODULES, objects

SOURCE = pathlib.Path(__file__).parent / "Programs/everything.swift"
EXPECTED = "items=4950\noperations=0\ntasks=4950\nours=true\n"


class StaticPrograms(unittest.TestCase):
    def linked(self, folder, *options):
        program = pathlib.Path(folder, "everything")
        subprocess.run(["swiftc", "-suppress-warnings", "-o", program, SOURCE, *options], check=True)
        return program

    def test_a_program_without_swifts_libraries_runs_on_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            program = self.linked(folder, "-static-stdlib", *objects(MODULES), "-lBlocksRuntime")
            outcome = run(program)
            self.assertEqual((outcome.stdout, outcome.stderr, outcome.returncode), (EXPECTED, "", 0))
            theirs = names(str(TOOLCHAIN.parent.parent / "swift_static/linux/libdispatch.a"))
            mixed = (theirs & names(str(program))) - names(*objects(MODULES))
            self.assertEqual({name for name in mixed if "dispatch" in name}, set())
            told = on_ours(program, options=["--verbose"])
            self.assertIn("is linked with SignalboxDropIn", told.stderr)
            self.assertEqual(told.stdout, EXPECTED)

    def test_the_same_program_on_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            outcome = on_ours(self.linked(folder))
            self.assertEqual((outcome.stdout, outcome.stderr, outcome.returncode), (EXPECTED, "", 0))


if __name__ == "__main__":
    unittest.main()
