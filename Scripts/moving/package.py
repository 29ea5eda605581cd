"""A package as its manifest describes it: its targets, with the files that belong to them."""
import dataclasses
import pathlib
import re

from moving.manifest import manifest

LEFT_ALONE = ("plugin", "macro", "system", "binary")  # runs in the build, or has no Swift files
FOLDERS = {"test": ("Tests",), "plugin": ("Plugins",)}
ANYWHERE = ("Sources", "Source", "src", "srcs")


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    kind: str
    home: pathlib.Path  # None where it has no files
    files: tuple
    products: frozenset

    module = property(lambda self: re.sub(r"\W", "_", self.name))
    is_left_alone = property(lambda self: self.kind in LEFT_ALONE)


def folder_of(package, target, alone):
    if "path" in target:
        return package / target["path"]
    tops = [package / top for top in FOLDERS.get(target["type"], ()) + ANYWHERE]
    found = [top / target["name"] for top in tops if (top / target["name"]).is_dir()]
    return next(iter(found + [top for top in tops if alone and top.is_dir()]), None)


def files_of(package, target, folder):
    kept = [folder / part for part in target.get("sources") or ["."]]
    without = [folder / part for part in target.get("exclude", [])]
    without += [folder / rule["path"] for rule in target.get("resources", [])]
    for path in sorted({path for part in kept for path in ([part] if part.is_file() else part.rglob("*.swift"))}):
        parts = path.relative_to(package).parts if path.is_relative_to(package) else path.parts
        hidden = any(part.startswith(".") or part.endswith(".docc") for part in parts)
        if not hidden and not {path, *path.parents} & set(without) and not (
                path.parent == package and path.name.startswith("Package")):
            yield path


def targets(package):
    """The manifest, and the package's targets."""
    whole = manifest(package)
    described = whole["targets"]
    found = []
    for target in described:
        kind = target["type"]
        alone = sum(other["type"] == kind for other in described) == 1 and kind != "test"
        folder = folder_of(package, target, alone)
        products = (next(iter(dependency.values()))[0] for dependency in target["dependencies"])
        files = tuple(files_of(package, target, folder)) if folder else ()
        home = files[0].parent if files and target.get("sources") else folder
        found.append(Target(target["name"], kind, home, files, frozenset(products)))
    return whole, found
