"""Where the shared library's parts are: in the toolchain, and in this package."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build/drop-in"
# Where the linker marks the ends of the toolchain's library, and its thread-local data.
NOT_NAMES = {"__bss_start", "_edata", "_end", "__dispatch_tsd"}
# What the library exports beyond the toolchain's: a function by which Swift's runtime submits jobs,
# kinds of sources that the headers declare, and methods of the toolchain's Swift classes.
FURTHER_NAMES = {"dispatch_async_swift_job"}
FURTHER_KINDS = re.compile(r"_dispatch_source_type_\w+|\$s8Dispatch\w+")


def read(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def toolchain():
    """The folder of the toolchain's libraries."""
    paths = json.loads(read("swiftc", "-print-target-info"))["paths"]["runtimeLibraryPaths"]
    return next(path for path in map(pathlib.Path, paths) if (path / "libdispatch.so").exists())


def names(*arguments, kind="--defined-only"):
    """The names that object files define for others, or with "-D" a library; or which they need."""
    lines = map(str.split, read("nm", kind, *arguments).splitlines())
    return {words[-1] for words in lines if len(words) >= 2 and words[-2] in tuple("TDBRVWUwv")}


TOOLCHAIN = toolchain()


def wanted_names(own):
    """The names that the library exports; `own` are those that its object files define."""
    theirs = names("-D", str(TOOLCHAIN / "libdispatch.so")) - NOT_NAMES
    return theirs | FURTHER_NAMES | {name for name in own if FURTHER_KINDS.fullmatch(name)}
