"""Programs in C, built against the toolchain's headers and library, run on ours."""
import os
import pathlib
import tempfile
import unittest

from place import LIBRARY, TOOL, compiled, on_ours, parts, run

PROGRAMS = pathlib.Path(__file__).parent / "Programs"


class CPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        # Kinds of sources that the headers declare are in our library only.
        cls.parts = compiled(cls.folder, "parts", *parts("*"), "-L", LIBRARY.parent)
        cls.children = compiled(cls.folder, "children", PROGRAMS / "children.c")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_each_function_of_each_header_works(self):
        names = [path.stem for path in parts("[!m]*")]
        self.assertGreaterEqual(len(names), 8)
        for part in names:
            with self.subTest(part):
                done = on_ours(self.parts, part)
                self.assertEqual((done.stdout, done.returncode), ("done\n", 0), done.stderr)

    def test_a_misuse_is_named(self):
        ended = on_ours(self.parts, "nullQueue")
        self.assertLess(ended.returncode, 0)
        self.assertTrue(ended.stderr.startswith("BUG IN CLIENT OF SIGNALBOX: dispatch_async was called with NULL"),
                        ended.stderr)

    def test_a_library_that_is_loaded_late_works(self):
        late = compiled(self.folder, "late", PROGRAMS / "late.c", libraries=())
        self.assertEqual(run(late, LIBRARY).stdout, "sum=1000\n")
        refused = on_ours(late)
        self.assertEqual(refused.returncode, 126)
        self.assertIn("does not load libdispatch.so", refused.stderr)
        done = on_ours(late, options=["--late"])
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("sum=1000\n", "", 0))

    # MARK: The environment

    def said(self, outcome):
        """The lines that the program and the one that replaces it print: two dictionaries."""
        self.assertEqual((outcome.stderr, outcome.returncode), ("", 0))
        lines = [line.split("=", 1) for line in outcome.stdout.splitlines()]
        second = next(i for i, line in enumerate(lines) if line[0] == "exec")
        return dict(lines[:second]), dict(lines[second:])

    def test_the_environment_is_what_it_was(self):
        for before in (None, "", "/nowhere"):
            with self.subTest(before):
                variables = {} if before is None else {"LD_LIBRARY_PATH": before}
                first, second = self.said(on_ours(self.children, **variables))
                self.assertEqual((first["parent"], second["exec"], first["fork"]), ("101", "101", "0"))
                for said in (first, second):
                    self.assertEqual(said["LD_LIBRARY_PATH"], "(none)" if before is None else before)
                    self.assertEqual(said["SIGNALBOX_RUN_BEFORE"], "(none)")

    def test_children_run_on_it_if_asked(self):
        for said in self.said(on_ours(self.children, options=["--children"])):
            self.assertEqual(said["LD_LIBRARY_PATH"], str(LIBRARY.parent))
            self.assertEqual(said["SIGNALBOX_RUN_BEFORE"], "(none)")

    def test_the_variable_alone_is_enough(self):
        first, second = self.said(run(self.children, LD_LIBRARY_PATH=str(LIBRARY.parent)))
        self.assertEqual((first["parent"], second["exec"], first["fork"]), ("101", "101", "0"))

    # MARK: Programs that cannot run on it

    def test_a_symbol_that_the_library_lacks_is_named_before_the_program_starts(self):
        # The program's own library has it, and ours is put in its place.
        others = self.folder / "others"
        others.mkdir()
        compiled(others, "libdispatch.so", PROGRAMS / "unheard_library.c", "-shared", "-fPIC",
                 "-Wl,-soname,libdispatch.so", libraries=())
        program = self.folder / "unheard"
        compiled(self.folder, "unheard", PROGRAMS / "unheard.c", others / "libdispatch.so",
                 f"-Wl,-rpath,{others}", libraries=())
        self.assertEqual(run(program, "call").stdout, "started\n")
        for arguments in ([], ["call"]):
            refused = on_ours(program, *arguments)
            self.assertEqual((refused.stdout, refused.returncode), ("", 126))
            self.assertIn("does not have: dispatch_unheard_of (", refused.stderr)

    def test_a_static_program_is_refused(self):
        static = compiled(self.folder, "static", PROGRAMS / "nothing.c", "-static", libraries=())
        refused = on_ours(static)
        self.assertEqual(refused.returncode, 126)
        self.assertIn("statically linked", refused.stderr)

    def test_a_program_with_further_rights_is_refused(self):
        program = compiled(self.folder, "rights", PROGRAMS / "children.c")
        os.chmod(program, 0o4755)
        refused = on_ours(program)
        self.assertEqual(refused.returncode, 126)
        self.assertIn("set-user-ID", refused.stderr)

    def test_a_program_without_libdispatch_is_refused(self):
        refused = run(TOOL, "run", "true")
        self.assertEqual(refused.returncode, 126)
        self.assertIn("does not load libdispatch.so", refused.stderr)


if __name__ == "__main__":
    unittest.main()
