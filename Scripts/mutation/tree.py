"""A copy of the package in which one ordering at a time is weakened, with a build
folder of its own, so that what did not change is not built again."""
import filecmp
import hashlib
import pathlib
import shutil
import subprocess
from contextlib import contextmanager

from mutation.weakening import spelled_like


class ScratchTree:
    def __init__(self, root, number):
        self.root = pathlib.Path(root).resolve()
        self.folder = self.root / ".build" / "mutation" / str(number)
        self.last = None  # what the program was built last time
        files = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "Package.swift", "Sources", "Tests"],
            cwd=self.root, check=True, capture_output=True, text=True).stdout.splitlines()
        files = [file for file in files if (self.root / file).exists()]
        for old in [*(self.folder / "Sources").rglob("*"), *(self.folder / "Tests").rglob("*")]:
            if old.is_file() and str(old.relative_to(self.folder)) not in files:
                old.unlink()
        for file in files:
            source, copy = self.root / file, self.folder / file
            if source.is_symlink() and source.is_dir():  # tests that are built twice
                copy.parent.mkdir(parents=True, exist_ok=True)
                if not copy.is_symlink():
                    copy.symlink_to(source.readlink())
            elif not copy.exists() or not filecmp.cmp(source, copy, shallow=False):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)

    @contextmanager
    def weakened(self, changes):
        """The tree with the ordering at each site replaced: (site, ordering), …"""
        originals = {}
        try:
            # From the end of a line on, so that places before it stay where they are.
            for site, ordering in sorted(changes, key=lambda change: change[0].span, reverse=True):
                path = self.folder / site.path.resolve().relative_to(self.root)
                text = path.read_text(encoding="utf-8")
                originals.setdefault(path, text)
                path.write_text(replaced(text, site, ordering), encoding="utf-8")
            yield
        finally:
            for path, text in originals.items():
                path.write_text(text, encoding="utf-8")

    def build(self, product):
        """Builds with ThreadSanitizer; the program, which is another than the last."""
        run = subprocess.run(
            ["swift", "build", "--product", product, "--sanitize=thread"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        program = self.folder / ".build" / "debug" / product
        if run.returncode != 0:
            raise SystemExit(f"mutate: {self.folder} does not build\n{run.stdout}")
        digest = hashlib.sha256(program.read_bytes()).digest()
        if digest == self.last:
            raise SystemExit(f"mutate: {program} is still the same: nothing was weakened in it")
        self.last = digest
        return program


def replaced(text, site, ordering):
    lines, (first, last) = text.splitlines(keepends=True), site.span
    line = lines[site.line]
    if line[first:last] != site.spelling:
        raise SystemExit(f"mutate: {site.path}:{site.line + 1} has no {site.spelling} there")
    lines[site.line] = line[:first] + spelled_like(ordering, site.spelling) + line[last:]
    return "".join(lines)
