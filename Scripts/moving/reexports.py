"""Which modules bring the toolchain's own names with them, since they re-export what has these."""
import pathlib

from moving.change import OURS, moved
from moving.imports import imports
from moving.manifest import manifest
from moving.names import replaced
from moving.package import targets


def folders(package, whole, seen):
    """The packages that a package depends on by a path, and so on, and those fetched for it."""
    for kinds in whole["dependencies"]:
        for dependency in kinds.get("fileSystem", []):
            folder = pathlib.Path(dependency["path"]).resolve()
            if folder not in seen and (folder / "Package.swift").is_file():
                seen.add(folder)
                folders(folder, manifest(folder), seen)
    seen |= {path.parent for path in (package / ".build/checkouts").glob("*/Package.swift")}
    return seen


def exports(text):
    """The modules that a file re-exports, as a whole or a type that is ours here, each with its line."""
    if "@_exported" in text:
        for each in imports(text)[1]:
            if "@_exported" in each.attributes and (not each.name or each.name in replaced()):
                yield each.module, text.count("\n", 0, each.module_start) + 1


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def exporting_targets(package):
    """The targets of a package, which is only asked for them if a file of it re-exports anything."""
    if any("@_exported" in read(path) for path in package.rglob("*.swift")
           if ".build" not in path.relative_to(package).parts):
        yield from targets(package)[1]


def reexports(package, whole, own, chosen):
    """Each module that brings names of the toolchain's: the module they are of, and the place."""
    direct, others = {}, sorted(folders(package, whole, set()) - {package})
    for target in [*own, *(target for folder in others for target in exporting_targets(folder))]:
        for path in target.files:
            text = moved(read(path)) if target in chosen else read(path)
            for module, line in exports(text):
                direct.setdefault(target.module, []).append((module, f"{path}:{line}"))

    def origins(module, path=()):
        for exported, place in direct.get(module, []):
            if exported in OURS:
                yield exported, place
            elif exported not in path:
                yield from origins(exported, (*path, module))
    return {module: found for module in direct if (found := list(dict.fromkeys(origins(module))))}
