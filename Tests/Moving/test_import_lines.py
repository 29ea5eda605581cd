"""Each form of an import line becomes what `import_lines.samples` says."""
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "Scripts"))
from moving.change import moved
from moving.qualified import qualified
from moving.swift_text import code_of


def samples():
    text = (HERE / "import_lines.samples").read_text(encoding="utf-8")
    for block in text.split("\n=== ")[1:]:
        name, _, files = block.partition("\n")
        before, changes, after = f"{files}\n".replace("\n\n", "\n").partition("\n---\n")
        yield name, before if not changes else f"{before}\n", after if changes else before


class ImportLines(unittest.TestCase):
    def test_each_becomes_what_the_sample_says(self):
        count = 0
        for name, before, after in samples():
            count += 1
            with self.subTest(name):
                self.assertEqual(moved(before), after)
        self.assertGreater(count, 30)

    def test_what_was_moved_stays(self):
        for name, before, _ in samples():
            with self.subTest(name):
                self.assertEqual(moved(moved(before)), moved(before))

    def test_ends_of_lines_stay(self):
        for name, before, after in samples():
            with self.subTest(name):
                self.assertEqual(moved(before.replace("\n", "\r\n")), after.replace("\n", "\r\n"))
                self.assertEqual(moved(before.rstrip("\n")).rstrip("\n"), after.rstrip("\n"))
        self.assertEqual(moved("\ufeffimport Foundation"), "\ufeffimport SignalboxFoundation")

    def test_code_stays_in_its_place(self):
        for name, before, _ in samples():
            code = code_of(before)
            with self.subTest(name):
                self.assertEqual([len(line) for line in code.split("\n")],
                                 [len(line) for line in before.split("\n")])

    def test_types_that_are_named_by_the_toolchains_module_are_found(self):
        text = ('import class Foundation.Timer\nlet a: Foundation.Timer? = nil // Foundation.Timer\n'
                'let b = "Foundation.Thread"; let c = Foundation.Date()\nlet d = My.Foundation.Timer()\n'
                'typealias Q = Dispatch::DispatchQueue\n')
        self.assertEqual(list(qualified(text)), [
            (2, "Foundation", ".", "Timer"), (5, "Dispatch", "::", "DispatchQueue")])


if __name__ == "__main__":
    unittest.main()
