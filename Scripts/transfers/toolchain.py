"""The programs of the Swift toolchain."""
import functools
import json
import pathlib
import subprocess


@functools.cache
def folder():
    """Where the compiler is. `swiftc` in PATH may be a link, or a program that starts another one."""
    text = subprocess.run(["swiftc", "-print-target-info"], stdout=subprocess.PIPE, check=True).stdout
    return pathlib.Path(json.loads(text)["paths"]["runtimeResourcePath"]).parents[1] / "bin"


def tool(name):
    """The toolchain's own: an older one may not know what its compilers write."""
    own = folder() / name
    return str(own if own.exists() else name)
