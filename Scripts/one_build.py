"""One debug build of the library for all packages of this checkout.

Another package that is built into the root package's build folder finds the library there: the
commands that compile it are the same, so none of them runs again. But the package manager keeps
the plan of a build beside its products, and does not notice that a plan is another package's. So
it has to plan anew, and the plan is removed afterwards. Otherwise the next `swift build` of the
root package would build that other package (Documentation/Decisions/0009-one-build.md).

The folder contains all modules of the library, so the compiler finds a module that the target does
not name as a dependency. The package manager has to look for such an import."""
import contextlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / ".build"


@contextlib.contextmanager
def shared(folder=FOLDER):
    """The options for `swift`, while it builds another package in debug."""
    try:
        yield ["--scratch-path", str(folder), "--disable-build-manifest-caching",
               "--explicit-target-dependency-import-check", "error"]
    finally:
        for plan in ("debug.yaml", "plugin-tools.yaml"):
            (folder / plan).unlink(missing_ok=True)
