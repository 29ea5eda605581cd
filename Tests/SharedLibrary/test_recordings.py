"""`signalbox trace` records a program of the toolchain's interface that nobody prepared."""
import contextlib
import json
import pathlib
import subprocess
import tempfile
import time
import unittest

from place import ENVIRONMENT, LIMIT, TOOL, run
from drop_in_link import MODULES, objects

SOURCE = pathlib.Path(__file__).parent / "Programs/busy.swift"


@contextlib.contextmanager
def started(*command):
    """The program, once it has begun its work."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env=ENVIRONMENT) as program:
        try:
            assert program.stdout.readline() == "ready\n"
            yield program
        finally:
            program.communicate(timeout=LIMIT)


def records(process):
    """Whether the process has not put its last recording away."""
    names = []
    for path in pathlib.Path(f"/proc/{process}/task").glob("*/comm"):
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            names.append(path.read_text())
    return "sb-trace\n" in names


class Recordings(unittest.TestCase):
    def linked(self, folder, *options):
        program = pathlib.Path(folder, "busy")
        subprocess.run(["swiftc", "-swift-version", "6", "-o", program, SOURCE, *options], check=True)
        return program

    def expect_items(self, folder, *command):
        with started(*command) as program:
            for number in range(2):
                # It makes one recording at a time.
                end = time.monotonic() + LIMIT
                while records(program.pid) and time.monotonic() < end:
                    time.sleep(0.01)
                path = pathlib.Path(folder, f"{number}.json")
                outcome = run(TOOL, "trace", program.pid, "-d", "2s", "-o", path)
                self.assertEqual((outcome.stdout, outcome.returncode), (f"{path}\n", 0), outcome.stderr)
                story = json.loads(path.read_text())
                labels = [story["strings"][queue["label"]] for queue in story["queues"]]
                busy = labels.index("org.example.busy")
                self.assertGreater(story["items"]["queue"].count(busy), 10)
        self.assertEqual(program.returncode, 0)

    def test_a_program_on_the_library_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_items(folder, TOOL, "run", "--", self.linked(folder))

    def test_a_program_without_swifts_libraries_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_items(
                folder, self.linked(folder, "-static-stdlib", *objects(MODULES), "-lBlocksRuntime"))

    def test_a_program_on_the_toolchains_library_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, started(self.linked(folder)) as program:
            outcome = run(TOOL, "trace", program.pid, "-d", "300ms", "-o", pathlib.Path(folder, "a.json"))
            self.assertEqual((outcome.stdout, outcome.returncode), ("", 1))
            self.assertIn("Signalbox", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
