"""Which targets get a file of names."""
from moving.names_file import NAME, names_file


def add_names(plan, target, texts, modules, exporting):
    """The file of names, if a module that the target imports brings the toolchain's."""
    sources = {module: exporting[module] for module in sorted(modules & set(exporting))}
    if not sources:
        return
    origins = {origin for found in sources.values() for origin, _ in found}
    of_dispatch = origins == {"Dispatch"} and plan.products[target.name] <= {"SignalboxDispatch"}
    product = "SignalboxDispatch" if of_dispatch else "SignalboxFoundation"
    path = target.home / NAME
    plan.words += [f"the target {target.name} imports {module}, which re-exports {found[0][0]} "
                   f"({found[0][1]}): {path.relative_to(plan.package)} makes its names ours"
                   for module, found in sources.items()]
    why = "; ".join(f"{module} re-exports {found[0][0]}" for module, found in sources.items())
    before = plan.files.get(path, ("", ""))[0]
    plan.files[path] = (before, names_file(product, why, texts))
    plan.products[target.name].add(product)
