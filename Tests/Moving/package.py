"""Packages for the tests of `signalbox-move`, and the script run on them."""
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRIPT = ROOT / "Scripts/signalbox-move"
MANIFEST = "// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: \"P\", {})\n"


def move(*arguments):
    """What the script prints, in both places, and its status."""
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True)


def texts(folder):
    """Every file of a package by its path."""
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*"))
            if path.is_file() and ".build" not in path.relative_to(folder).parts}


def written(folder, contents, manifest):
    """A package with these files, and a manifest that says this of it."""
    for name, text in {**contents, "Package.swift": MANIFEST.format(manifest)}.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return pathlib.Path(folder)
