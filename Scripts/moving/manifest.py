"""A package's manifest, as the package manager reads it."""
import json
import subprocess


class Misuse(Exception):
    """What the user is told, in a sentence, before the script ends with status 2."""


def manifest(folder):
    if not folder.is_dir():
        raise Misuse(f"there is no folder {folder}")
    if not (folder / "Package.swift").is_file():
        raise Misuse(f"{folder} is not a package: it has no Package.swift")
    try:
        run = subprocess.run(["swift", "package", "--package-path", folder, "dump-package"],
                             capture_output=True, text=True)
    except FileNotFoundError:
        raise Misuse("the command swift, which reads Package.swift, is not in PATH") from None
    if run.returncode:
        raise Misuse(f"swift does not accept {folder}/Package.swift: {run.stderr.strip()}")
    return json.loads(run.stdout)
