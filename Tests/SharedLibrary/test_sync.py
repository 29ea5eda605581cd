"""The methods `sync` of the toolchain's DispatchQueue, which our library has in their place."""
import itertools
import pathlib
import subprocess
import tempfile
import unittest

from place import ROOT, compiled, on_ours, run
from drop_in_link import MODULES, objects

PROGRAMS = pathlib.Path(__file__).parent / "Programs"
SOURCES = [PROGRAMS / "sync.swift", ROOT / "Tests/DropIn/Sources/StockProgram/Callers.swift"]
RESULTS = 'count=4\ntexts=["a", "b"] c\nthrown=Failure()\nthrown=Failure()\n'


def said(theirs):
    return f"{RESULTS}theirs={theirs}\n"


# What runs the closure of `sync`, of a barrier, and twice of a `sync` with a result.
REPLACED = said("[false, false, false, false]")
KEPT = said("[true, true, true, true]")


class Sync(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def built(self, *options, name="sync"):
        path = self.folder / name
        subprocess.run(["swiftc", "-suppress-warnings", "-parse-as-library", "-o", path, *options, *SOURCES],
                       check=True)
        return path

    def library(self, *options):
        return self.built("-O", "-emit-library", "-DLIBRARY", *options, name="libsync.so")

    def expect(self, outcome, output):
        self.assertEqual((outcome.stdout, outcome.stderr, outcome.returncode), (output, "", 0))

    def test_programs_are_served_however_they_were_compiled(self):
        ways = itertools.product(("-Onone", "-O"), ("5", "6"))
        for level, language in ways:
            with self.subTest((level, language)):
                program = self.built(level, "-swift-version", language)
                self.expect(run(program), KEPT)
                self.expect(on_ours(program), REPLACED)

    def test_libraries_with_a_stable_interface_are_served(self):
        library = self.library("-enable-library-evolution")
        main = self.folder / "main.c"
        main.write_text("void use_sync(void);\nint main(void) { use_sync(); }\n")
        program = compiled(self.folder, "program", main, library, f"-Wl,-rpath,{self.folder}")
        self.expect(on_ours(program), REPLACED)

    def test_a_class_that_is_loaded_late_keeps_its_methods(self):
        library = self.library()
        program = compiled(self.folder, "late", PROGRAMS / "late_sync.c")
        self.expect(on_ours(program, library), KEPT)

    def test_a_program_with_the_product_is_served(self):
        brought = [*objects(MODULES), "-ldispatch", "-lBlocksRuntime"]
        self.expect(run(self.built("-O", *brought)), REPLACED)

    def test_a_program_with_swifts_libraries_within_gets_the_results(self):
        # Whose methods run is not to be seen there: all functions are in one file.
        program = self.built("-O", "-static-stdlib", *objects(MODULES), "-lBlocksRuntime")
        self.expect(run(program), REPLACED)


if __name__ == "__main__":
    unittest.main()
