"""Links libdispatch.so from the object files of this package."""
import platform
import subprocess
import sys

from drop_in import ROOT, SCRATCH, TOOLCHAIN, names, wanted_names

MODULES = ("CSignalbox", "CSignalboxPage", "SignalboxRuntime", "SignalboxDiagnostics", "SignalboxDispatch",
           "CSignalboxDropIn", "SignalboxDropIn", "SignalboxTrace")
# Swift's own library for tasks is not among them: it needs libdispatch.so itself.
NEEDED = ("libBlocksRuntime.so", "libswiftCore.so", "libswiftGlibc.so", "libswiftSynchronization.so")


def run(*command):
    status = subprocess.run(command, cwd=ROOT, stdout=sys.stderr).returncode
    if status:
        sys.exit(f"build-drop-in: {command[0]} failed with the status {status}")


def linker(*options):
    return [word for option in options for word in ("-Xlinker", option)]


def objects(modules):
    """The object files whose sources are still there."""
    built = SCRATCH / "release"
    return [str(path) for module in modules
            for path in sorted(built.glob(f"{module.replace('-', '_')}.build/**/*.o"))
            if any((ROOT / "Sources" / module).rglob(path.stem))]


def link_library(folder):
    """Returns the names that the library lacks."""
    files = objects(MODULES)
    own = names(*files)
    wanted = wanted_names(own)
    exported = wanted & own
    script = SCRATCH / "exports"
    lines = "".join(f"  {name};\n" for name in sorted(exported))
    script.write_text(f"{{\nglobal:\n{lines}local: *;\n}};\n")
    # Optional functions of modules that the library does not contain: a program that does is not to
    # be bound to. The runtime's own stay open.
    absent = sorted(name for name in names(*files, kind="--undefined-only") - own
                    if name.startswith("csb_"))
    libraries = [f"-l{name.removeprefix('lib').removesuffix('.so')}" for name in NEEDED]
    run("clang", "-shared", "-fuse-ld=lld", "-o", str(folder / "libdispatch.so"),
        # What Swift's linker driver adds: it tells the runtime of the library's types.
        str(TOOLCHAIN / platform.machine() / "swiftrt.o"), *files, "-L", str(TOOLCHAIN),
        *linker("-soname=libdispatch.so", f"--version-script={script}",
                *(f"--defsym={name}=0" for name in absent),
                # A module that needs a further Swift library is an error.
                "--no-undefined", "--as-needed", *libraries,
                # Threads and other libraries keep addresses of its code. No path of this machine:
                # what the library needs is beside it.
                "-znodelete", "-rpath=$ORIGIN/swift",
                # The engine calls its own functions, even if the program has some of the same
                # name. Data is where the program sees it.
                "-Bsymbolic-functions"), "-lm")
    return sorted(wanted - exported)
