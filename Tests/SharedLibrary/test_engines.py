"""More than one engine in a process."""
import pathlib
import platform
import subprocess
import tempfile
import unittest

from place import BUILT, LIBRARY, compiled, on_ours, run
from drop_in import TOOLCHAIN
from drop_in_link import MODULES, NEEDED, objects

PROGRAMS = pathlib.Path(__file__).parent / "Programs"


class Engines(unittest.TestCase):
    def test_a_second_engine_is_named_with_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            # A library that was built upon Signalbox for its own imports.
            brought = pathlib.Path(folder, "libbrought.so")
            modules = [module for module in MODULES if "DropIn" not in module]
            subprocess.run(
                ["clang", "-shared", "-fuse-ld=lld", "-o", brought, "-Wl,-soname,libbrought.so", f"-Wl,-rpath,{TOOLCHAIN}",
                 TOOLCHAIN / platform.machine() / "swiftrt.o", *objects(modules), "-L", TOOLCHAIN,
                 *(f"-l{name.removeprefix('lib').removesuffix('.so')}" for name in NEEDED), "-lm"],
                check=True)
            program = compiled(folder, "children", PROGRAMS / "children.c", "-Wl,--no-as-needed", brought,
                               f"-Wl,-rpath,{folder}")
            outcome = on_ours(program)
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertEqual(outcome.stderr.count("has loaded 2 copies of Signalbox"), 1)
            for name in ("libbrought.so", "libdispatch.so"):
                self.assertIn(name, outcome.stderr)

    def beside(self, scenario):
        """Runs a program that brings an engine for its own imports, with the library all the same."""
        return run(BUILT / "FoundationFacts", scenario, LD_LIBRARY_PATH=str(LIBRARY.parent), SIGNALBOX_RUN_BEFORE="-")

    def test_the_engine_of_the_program_knows_no_queues_of_the_other(self):
        # The functions that it would use are the other engine's, and not what it looks for.
        outcome = self.beside("waits-through-a-bridge-that-end")
        self.assertIn("has loaded 2 copies of Signalbox", outcome.stderr)
        self.assertIn("there is no bridge", outcome.stderr)
        self.assertEqual(outcome.returncode, 2, outcome.stderr)

    def test_the_engine_of_the_program_serves_the_main_queue_of_the_other(self):
        for scenario in ("process-waits", "nested-runs", "both-main-queues-are-served-in-order",
                         "dispatch-main-and-a-process"):
            with self.subTest(scenario):
                alone, beside = run(BUILT / "FoundationFacts", scenario), self.beside(scenario)
                self.assertEqual((beside.stdout, beside.returncode), (alone.stdout, 0), beside.stderr)


if __name__ == "__main__":
    unittest.main()
