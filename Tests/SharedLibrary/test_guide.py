"""What "Moving a program" says of `signalbox run` is what it says itself."""
import os
import pathlib
import re
import tempfile
import unittest

from place import LIBRARY, ROOT, compiled, on_ours

PROGRAMS = pathlib.Path(__file__).parent / "Programs"
PAGE = (ROOT / "Documentation/Signalbox.docc/Moving.md").read_text(encoding="utf-8")
MACHINE = 18  # where an ELF file names its machine


def pattern(sentence):
    return ".*".join(map(re.escape, sentence.split("…")))


def refused(folder):
    """A program for each row of the table."""
    own = compiled(folder, "own", PROGRAMS / "children.c")
    rights = compiled(folder, "rights", PROGRAMS / "children.c")
    os.chmod(rights, 0o4755)
    foreign = folder / "foreign"
    content = bytearray(own.read_bytes())
    content[MACHINE] = 8
    foreign.write_bytes(content)
    os.chmod(foreign, 0o755)
    (folder / "others").mkdir()
    library = compiled(folder / "others", "libdispatch.so", PROGRAMS / "unheard_library.c", "-shared", "-fPIC",
                       "-Wl,-soname,libdispatch.so", libraries=())
    return {
        "is statically linked": compiled(folder, "static", PROGRAMS / "nothing.c", "-static", libraries=()),
        "is set-user-ID, or has capabilities": rights,
        "is for another architecture": foreign,
        "does not use Dispatch, or was built with `--static-swift-stdlib`": "/bin/true",
        "was linked with an rpath, which goes before `LD_LIBRARY_PATH`": compiled(
            folder, "rpath", PROGRAMS / "children.c", "-Wl,--disable-new-dtags"),
        "uses a function that only the toolchain's library has": compiled(
            folder, "unheard", PROGRAMS / "unheard.c", library, f"-Wl,-rpath,{library.parent}", libraries=()),
    }


class Guide(unittest.TestCase):
    def test_each_refusal_is_the_sentence_of_the_page(self):
        table = PAGE.split("| the program | the sentence |\n| --- | --- |\n")[1].split("\n\n")[0]
        rows = dict(re.findall(r"^\| (.*) \| `([^`]*)` \|$", table, re.M))
        with tempfile.TemporaryDirectory() as folder:
            programs = refused(pathlib.Path(folder))
            self.assertEqual(rows.keys(), programs.keys())
            for case, program in programs.items():
                with self.subTest(case):
                    outcome = on_ours(program)
                    self.assertEqual((outcome.returncode, outcome.stdout), (126, ""))
                    self.assertRegex(outcome.stderr, pattern(rows[case]))

    def test_verbose_says_what_the_page_shows(self):
        shown = PAGE.split("$ signalbox run --verbose ./program\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(folder, "program", PROGRAMS / "nothing.c", "-Wl,--no-as-needed")
            said = on_ours(program, options=["--verbose"]).stderr
        said = said.replace(str(LIBRARY.parent), "/opt/signalbox/lib/signalbox").replace(str(program), "./program")
        self.assertEqual(said, shown)


if __name__ == "__main__":
    unittest.main()
