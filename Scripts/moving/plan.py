"""All that is to be done to a package, and what is to be said of it."""
import dataclasses
import pathlib

from moving.change import OURS, moved
from moving.imports import imports
from moving.names_file import NAME
from moving.plan_names import add_names
from moving.qualified import qualified
from moving.reexports import reexports


@dataclasses.dataclass
class Plan:
    """The texts before and after by their files, products by target, and sentences."""
    package: pathlib.Path
    files: dict = dataclasses.field(default_factory=dict)
    products: dict = dataclasses.field(default_factory=dict)
    words: list = dataclasses.field(default_factory=list)

    def add(self, target):
        """The texts of a target after the move, with what they import as a whole or in part."""
        texts, modules = [], set()
        for path in target.files:
            try:
                before = path.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                self.words.append(f"{path.relative_to(self.package)} is left alone: {error}")
                continue
            after = moved(before)
            self.files[path] = (before, after)
            modules |= {each.module for each in imports(after)[1]}
            if path.name != NAME:
                texts.append(after)
            for line, module, dot, name in qualified(after):
                self.words.append(f"{path.relative_to(self.package)}:{line}: {module}{dot}{name} is the "
                                  f"toolchain's: write {OURS[module]}{dot}{name}")
        self.products[target.name] = modules & set(OURS.values())
        return texts, modules

    def changed(self):
        return {path: texts for path, texts in sorted(self.files.items()) if texts[0] != texts[1]}


def plan(package, whole, targets, chosen):
    made = Plan(package)
    parts = [(target, *made.add(target)) for target in chosen]
    exporting = reexports(package, whole, targets, chosen)
    for part in parts:
        add_names(made, *part, exporting)
    return made
