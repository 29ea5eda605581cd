"""The server of Tests/Soak, in release."""
import os
import pathlib
import subprocess
import tempfile

from soaking import process
from soaking.request import CONTENT

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A folder of its own, which keeps what is built of the library in release, whatever else is built.
FOLDER = ".build/soak"
BUILD = ["swift", "build", "-c", "release", "--package-path", "Tests/Soak", "--scratch-path", FOLDER]
# The C library would make an arena for each of a dozen threads. Each grows to what the worst moment
# of its thread needs, which takes hours to be over, and would hide a leak.
ARENAS = {"MALLOC_ARENA_MAX": "1"}
LIMIT = 60  # seconds; the server itself gives up sooner


class Server:
    def __init__(self):
        subprocess.run(BUILD, cwd=ROOT, check=True)
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(CONTENT)
        self.file, self.errors = pathlib.Path(file.name), tempfile.TemporaryFile("w+")
        self.program = subprocess.Popen(
            [ROOT / FOLDER / "release/SoakServer", "0", self.file], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors, env=os.environ | ARENAS)

    def __enter__(self):
        word, _, port = self.program.stdout.readline().partition(" ")
        if word != "listening":
            self.__exit__()
            raise SystemExit(f"soak: the server has not begun\n{self.said()}")
        self.port = int(port)
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()
        self.file.unlink()

    def reading(self):
        return process.read(self.program.pid)

    def stop(self):
        """Sends SIGTERM. Returns the status and the output."""
        self.program.terminate()
        try:
            output, _ = self.program.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "none after a minute", ""
        return self.program.returncode, output

    def said(self):
        """What it has written to standard error."""
        self.errors.seek(0)
        return self.errors.read()
