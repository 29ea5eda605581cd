"""The programs of Tests/Products, built for release with Swift's runtime in them, in the ways servers are built."""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "Tests/Products"
BUILD = ROOT / ".build/static"
LIMIT = 300  # seconds: a wedge ends there

PROGRAMS = ["StaticallyLinked", "DispatchAlone", "CoreAlone", "Nothing"]
# For each way its options, and the folder of its objects: stripping only links anew.
WAYS = {
    "plain": ("plain", []),
    "stripped": ("plain", ["-Xlinker", "-s"]),
    "unchecked": ("unchecked", ["-Xswiftc", "-Ounchecked"]),
    "link-time": ("link-time", ["--experimental-lto-mode=full", "-Xswiftc", "-use-ld=lld"]),
}

OWN = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALBOX_")}
ENVIRONMENT = {**OWN, "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C"}


def build(way):
    """Builds all programs in this way; a later way may use the same objects, so they are copied."""
    objects, options = WAYS[way]
    place = BUILD / f"programs-{way}"
    place.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        command = ["swift", "build", "-c", "release", "--package-path", PACKAGE, "--scratch-path", BUILD / objects,
                   "--static-swift-stdlib", *options, "--product", name]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            raise RuntimeError(f"{way}: {name} was not built:\n{ended.stdout}{ended.stderr}")
        shutil.copy2(BUILD / objects / "release" / name, place / name)


def program(way, name):
    return BUILD / f"programs-{way}" / name


def run(way, name, *words, **variables):
    return subprocess.run([program(way, name), *words], capture_output=True, text=True, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, env={**ENVIRONMENT, **variables})


def start(way, name, *words, **variables):
    return subprocess.Popen([program(way, name), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **variables})


def text_size(way, name):
    """The bytes of a program's code."""
    lines = subprocess.run(["size", "-A", program(way, name)], capture_output=True, text=True, check=True).stdout
    return next(int(words[1]) for words in map(str.split, lines.splitlines()) if words[:1] == [".text"])
