"""Where the shared library is, and programs that run on it."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))
from drop_in import TOOLCHAIN  # noqa: E402

FOLDER = ROOT / "out/drop-in"
LIBRARY = FOLDER / "lib/signalbox/libdispatch.so"
TOOL = FOLDER / "bin/signalbox"
# What is built of Tests/DropIn, whose programs are linked with the product.
BUILT = ROOT / ".build/debug"
LIMIT = 300  # seconds: a wedge ends there

OWN = {name: value for name, value in os.environ.items()
       if not name.startswith("SIGNALBOX_") and name != "LD_LIBRARY_PATH"}
ENVIRONMENT = {**OWN, "SWIFT_BACKTRACE": "enable=no"}


def run(*command, **variables):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=LIMIT, env={**ENVIRONMENT, **variables})


def on_ours(*command, options=(), **variables):
    """Runs a program with `signalbox run`."""
    return run(TOOL, "run", *options, "--", *command, **variables)


def compiled(folder, name, *sources, libraries=("dispatch", "BlocksRuntime")):
    """A C program, built as against the toolchain's library."""
    path = pathlib.Path(folder, name)
    subprocess.run(["clang", "-fblocks", "-O1", "-o", str(path), *map(str, sources),
                    "-I", str(TOOLCHAIN.parent), "-I", str(TOOLCHAIN.parent / "Block"),
                    "-L", str(TOOLCHAIN), f"-Wl,-rpath,{TOOLCHAIN}", *(f"-l{name}" for name in libraries)],
                   check=True)
    return path


def parts(pattern):
    """The sources of the program of Tests/DropIn in C: one part for each header, and others."""
    return sorted((ROOT / "Tests/DropIn/Sources/CProgram").glob(f"{pattern}.c"))


def linked(folder, name, *modules):
    """A Swift program of Tests/DropIn, from the objects that its own build left, linked without the
    product. It names one function that only our library has."""
    path = pathlib.Path(folder, name)
    objects = [str(file) for module in (name, *modules) for file in sorted(BUILT.glob(f"{module}.build/*.o"))]
    subprocess.run(["swiftc", "-o", str(path), *objects, str(LIBRARY), "-Xlinker",
                    f"--defsym=main={name}_main"], check=True)
    return path
