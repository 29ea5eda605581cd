"""A package builds after the move, as Swift 5 and as Swift 6, and does what it did before.

Nothing is done to it but what the script does and what the script says: the lines for
Package.swift, and the types that are named by the toolchain's module. The package that it depends
on, which re-exports Foundation, is not touched. Among its targets are fifty files that import the
toolchain's modules in every form."""
import os
import re
import shutil
import subprocess
import unittest

from fifty_files import files
from package import HERE, ROOT, move, texts

PLACE = ROOT / ".build/moving"  # kept, so that Signalbox is built once


def fresh(name):
    """The packages as they were, beside what was built of them."""
    for package in ("Shop", "Web"):
        for part in ("Sources", "Tests"):
            shutil.rmtree(PLACE / name / package / part, ignore_errors=True)
    shutil.copytree(HERE / "Packages", PLACE / name, dirs_exist_ok=True)
    return PLACE / name / "Shop"


def with_fifty_files(package):
    """The package, with the fifty files as targets of it."""
    manifest = (package / "Package.swift").read_text()
    for name, text in files().items():
        path = package / "Sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    targets = """
    .target(name: "Passing", dependencies: [], swiftSettings: settings),
    .target(name: "Levels", dependencies: [], swiftSettings: settings),
    .executableTarget(
      name: "Fifty", dependencies: ["Passing", "Levels"], swiftSettings: settings),"""
    (package / "Package.swift").write_text(manifest.replace("\n  targets: [", "\n  targets: [" + targets))
    return package


def swift(package, command, mode, *arguments):
    # The limit is for what hangs: the first call may build all of Signalbox.
    run = subprocess.run(["swift", command, "--package-path", package, *arguments], text=True, timeout=3600,
                         capture_output=True, env=dict(os.environ, SHOP_MODE=mode))
    if run.returncode:
        raise AssertionError(f"swift {command} of {package} as Swift {mode}:\n{run.stdout}{run.stderr}")
    return run.stdout


def as_told(package, words):
    """Does what the script says is left to do."""
    place, manifest = None, (package / "Package.swift").read_text()
    for line in words.splitlines():
        if line == "  dependencies of the package:":
            place = "\n  dependencies: ["
        elif target := re.fullmatch(r'  dependencies of the target "(\w+)":', line):
            place = re.search(rf'name: "{target[1]}",\s+dependencies: \[', manifest)[0]
        elif line.startswith("    ."):
            manifest = manifest.replace(place, place + line.strip())
        elif found := re.fullmatch(r"(\S+):(\d+): (\S+) is the toolchain's: write (\S+)", line):
            path, index = package / found[1], int(found[2]) - 1
            lines = path.read_text().splitlines(True)
            lines[index] = lines[index].replace(found[3], found[4])
            path.write_text("".join(lines))
    (package / "Package.swift").write_text(manifest)


class MovedPackage(unittest.TestCase):
    def test_it_builds_in_both_modes_and_says_the_same(self):
        before = with_fifty_files(fresh("before"))
        said = swift(before, "run", "6", "Shop")
        self.assertTrue(said.endswith("end\n"), said)
        self.assertEqual([swift(before, "run", mode, "Fifty") for mode in ("5", "6")], ["50 files\n"] * 2)
        package = with_fifty_files(fresh("after"))
        run = move(package, "--write")
        self.assertEqual(run.returncode, 0, run.stderr)
        as_told(package, run.stderr)
        for mode in ("5", "6"):
            with self.subTest(mode):
                self.assertEqual(swift(package, "run", mode, "Shop"), said)
                self.assertEqual(swift(package, "run", mode, "Fifty"), "50 files\n")
                swift(package, "test", mode, "--disable-swift-testing")
        web = PLACE / "after/Web"
        self.assertEqual(texts(web), texts(HERE / "Packages/Web"))


if __name__ == "__main__":
    unittest.main()
