"""Which files `signalbox-move` changes, what it prints, and how it refuses bad use."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from package import HERE, move, texts, written

LINE = "import Foundation\n"
MOVED = "import SignalboxFoundation\n"


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_without_write_nothing_is_written_and_the_diff_is_what_write_does(self):
        shutil.copytree(HERE / "Packages", self.folder, dirs_exist_ok=True)
        before = texts(self.folder)
        dry = move(self.folder / "Shop")
        self.assertEqual((dry.returncode, texts(self.folder)), (0, before), dry.stderr)
        self.assertEqual(move(self.folder / "Shop", "--write").returncode, 0)
        after = texts(self.folder)
        self.assertEqual(len({name for name in after if after[name] != before.get(name)}), 10)
        again = move(self.folder / "Shop")
        self.assertEqual((again.returncode, again.stdout), (0, ""), again.stderr)
        shutil.rmtree(self.folder / "Shop")
        shutil.copytree(HERE / "Packages/Shop", self.folder / "Shop")
        subprocess.run(["git", "apply"], input=dry.stdout, text=True, check=True,
                       cwd=self.folder / "Shop")
        self.assertEqual(texts(self.folder), after)

    def test_bad_use_is_told_in_a_sentence(self):
        good = written(self.folder / "good", {"Sources/A/a.swift": LINE}, 'targets: [.target(name: "A")]')
        bad = written(self.folder / "bad", {}, "wrong: 1")
        for arguments, words in (
                ((), "required: package"), ((good, "--wirte"), "unrecognized arguments: --wirte"),
                ((self.folder / "none",), "there is no folder"), ((good / "Sources",), "no Package.swift"),
                ((good / "Package.swift",), "there is no folder"), ((bad,), "does not accept"),
                ((good, "--target", "B"), "has no target B")):
            with self.subTest(words):
                run = move(*arguments)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertTrue(run.stderr.startswith("signalbox-move: "), run.stderr)
                self.assertIn(words, run.stderr)

    def test_only_the_files_of_targets_are_changed(self):
        inside = ("Sources/A/a.swift", "Sources/A/deep/b.swift", "Tests/ATests/t.swift", "other/C/c.swift",
                  "listed/one.swift")
        outside = ("Sources/A/left/out.swift", "Sources/A/copied/d.swift", "Sources/A/.hidden/e.swift",
                   "Sources/A/A.docc/f.swift", "Plugins/P/p.swift", "loose.swift", "listed/two.swift",
                   "Sources/Unused/u.swift")
        manifest = """targets: [
          .target(name: "A", exclude: ["left"], resources: [.copy("copied")]),
          .executableTarget(name: "C", path: "other/C"),
          .target(name: "L", path: "listed", sources: ["one.swift"]),
          .plugin(name: "P", capability: .buildTool()), .testTarget(name: "ATests")]"""
        package = written(self.folder, dict.fromkeys(inside + outside, LINE), manifest)
        self.assertEqual(move(package, "--target", "C", "--write").returncode, 0)
        self.assertEqual([name for name, text in texts(package).items() if text == MOVED], ["other/C/c.swift"])
        self.assertIn("P is left alone: it is a plugin", move(package, "--write").stderr)
        self.assertEqual({name for name, text in texts(package).items() if text == MOVED}, set(inside))

    def test_a_single_target_may_have_its_files_in_sources(self):
        package = written(self.folder, {"Sources/main.swift": LINE}, 'targets: [.executableTarget(name: "A")]')
        move(package, "--write")
        self.assertEqual(texts(package)["Sources/main.swift"], MOVED)

    def test_a_file_that_is_not_text_is_left_alone(self):
        package = written(self.folder, {"Sources/A/a.swift": LINE}, 'targets: [.target(name: "A")]')
        (package / "Sources/A/b.swift").write_bytes(b"import Foundation\n\xff")
        run = move(package, "--write")
        self.assertEqual((package / "Sources/A/b.swift").read_bytes(), b"import Foundation\n\xff")
        self.assertIn("Sources/A/b.swift is left alone", run.stderr)

    def test_the_manifest_that_has_it_all_needs_nothing(self):
        package = written(self.folder, {"Sources/A/a.swift": LINE, "Sources/B/b.swift": "import Dispatch\n"}, """
          dependencies: [.package(url: "https://localhost/signalbox.git", from: "1.0.0")],
          targets: [.target(name: "A", dependencies: [
            .product(name: "SignalboxFoundation", package: "signalbox")]), .target(name: "B")]""")
        words = move(package).stderr
        self.assertNotIn('"A"', words)
        self.assertNotIn(".package(", words)
        self.assertIn('"B":\n    .product(name: "SignalboxDispatch", package: "signalbox"),', words)
        self.assertIn("no dependency is fetched", words)


if __name__ == "__main__":
    unittest.main()
