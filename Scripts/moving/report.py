"""What the script prints: the diff, and what there is to do besides."""
import difflib
import os
import re

from moving.names import ROOT

LINE = re.compile(r"[^\n]*\n|[^\n]+")


def diff(plan):
    """A unified diff, which `patch -p1` takes."""
    for path, (before, after) in plan.changed().items():
        name = path.relative_to(plan.package)
        for line in difflib.unified_diff(
                LINE.findall(before), LINE.findall(after),
                f"a/{name}" if before or path.exists() else "/dev/null", f"b/{name}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def dependency_on_us(whole):
    """How the manifest calls the package that this script belongs to, if it depends on it."""
    for kind, (dependency, *_) in (pair for each in whole["dependencies"] for pair in each.items()):
        own_name = dependency.get("nameForTargetDependencyResolutionOnly") or dependency["identity"]
        if "signalbox" in own_name.lower() or dependency.get("path") == str(ROOT):
            return own_name
    return None


def for_the_manifest(plan, whole, targets):
    """What Package.swift must say besides, target by target."""
    missing = {target.name: sorted(plan.products[target.name] - target.products)
               for target in targets if plan.products.get(target.name, set()) - target.products}
    if missing:
        name = dependency_on_us(whole)
        yield "Package.swift must say besides:"
        if not name:
            place = os.path.relpath(ROOT, plan.package)
            yield f'  dependencies of the package:\n    .package(name: "Signalbox", path: "{place}"),'
        for target, products in missing.items():
            yield f'  dependencies of the target "{target}":'
            yield from (f'    .product(name: "{product}", package: "{name or "Signalbox"}"),'
                        for product in products)


def report(plan, whole, chosen, left_alone, written):
    count = len(plan.changed())
    yield f"{count} {'file' if count == 1 else 'files'} {'changed' if written else 'to change'} in " \
        f"{len(chosen)} {'target' if len(chosen) == 1 else 'targets'}" \
        + ("" if written or not count else "; --write changes them")
    yield from (f"the target {target.name} is left alone: it is a {target.kind}" for target in left_alone)
    yield from plan.words
    if any("sourceControl" in each for each in whole["dependencies"]) \
            and not (plan.package / ".build/checkouts").is_dir():
        yield "no dependency is fetched: run `swift package resolve` and then this script again, so " \
            "that it sees which of them re-export Foundation"
    yield from for_the_manifest(plan, whole, chosen)
