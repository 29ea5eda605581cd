"""A program in a container is explained from outside and from inside, by programs of one file each."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from place import ENVIRONMENT, LIMIT, TOOL, run
from drop_in_link import MODULES, objects

SOURCE = pathlib.Path(__file__).parent / "Programs/stuck.swift"
# What container engines give each container: its own users, processes and files.
NAMESPACES = ("--user", "--map-root-user", "--pid", "--mount", "--fork", "--kill-child")
TOOLS = all(shutil.which(name) for name in ("unshare", "nsenter", "chroot", "mount"))
MAY_NEST = TOOLS and subprocess.run(["unshare", *NAMESPACES, "mount", "-t", "proc", "proc", "/proc"],
                                    capture_output=True).returncode == 0


def libraries(program):
    """The files that the dynamic linker loads for it."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"(/\S+) \(0x", listing)


@unittest.skipUnless(MAY_NEST, "this machine lets nobody make namespaces")
class Containers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name, "root")
        for name in ("app", "proc", "recordings"):
            (cls.root / name).mkdir(parents=True)
        program = cls.root / "app/stuck"
        subprocess.run(["swiftc", "-swift-version", "6", "-g", "-o", program, SOURCE, "-static-stdlib",
                        *objects(MODULES), "-lBlocksRuntime"], check=True)
        for library in libraries(program):
            (cls.root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, cls.root / library[1:])
        for name in ("signalbox", "signalbox-trace"):
            shutil.copy2(TOOL.parent / name, cls.root / "app")

    @contextlib.contextmanager
    def container(self, **variables):
        """The number that the first process of a container has outside."""
        script = 'mount -t proc proc "$0/proc" && exec chroot "$0" /app/stuck'
        with subprocess.Popen(["unshare", *NAMESPACES, "sh", "-c", script, self.root], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**ENVIRONMENT, **variables}) as engine:
            try:
                self.assertEqual(engine.stdout.readline(), "ready\n")
                (first,) = pathlib.Path(f"/proc/{engine.pid}/task/{engine.pid}/children").read_text().split()
                yield int(first)
            finally:
                engine.communicate(timeout=LIMIT)
        self.assertEqual(engine.returncode, 0)

    def inside(self, process, *command):
        return run("nsenter", "-t", process, "--user", "--preserve-credentials", "--pid", "--mount", "--root",
                   "--wd", "--", *command)

    def files(self):
        return {path for path in self.root.rglob("*") if "proc" not in path.relative_to(self.root).parts}

    def expect_explanation(self, command):
        end = time.monotonic() + LIMIT
        outcome = command()
        # The program says that it is ready just before it waits.
        while " waits for a signal of " not in outcome.stdout and time.monotonic() < end:
            outcome = command()
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        first = outcome.stdout.splitlines()[0]
        self.assertIn('on the queue "org.example.orders", waits for a signal of the semaphore', first)
        # In the container, threads have the numbers that the kernel gives them there.
        self.assertLess(int(re.search(r"\(kernel (\d+)", first)[1]), 100)
        # The program's own file has the name and the line, and it is in the container.
        self.assertRegex(outcome.stdout, r"at stuck\.charge@Sendable \(\) -> \(\) in stuck \(.*stuck\.swift:13\)")

    def test_it_is_explained_from_outside(self):
        with self.container() as process:
            self.assertRegex(run(TOOL, "ps").stdout, rf"(?m)^ *{process} +stuck ")
            self.expect_explanation(lambda: run(TOOL, "report", process))
            self.assertIn(f'pid="{process}",process="stuck",queue="org.example.busy"',
                          run(TOOL, "metrics", process).stdout)

    def test_it_is_explained_from_inside(self):
        with self.container() as process:
            self.assertRegex(self.inside(process, "/app/signalbox", "ps").stdout, r"(?m)^ *1 +stuck ")
            self.expect_explanation(lambda: self.inside(process, "/app/signalbox", "report", 1))

    def test_a_recording_from_outside_writes_nothing_inside(self):
        with tempfile.TemporaryDirectory() as folder, self.container() as process:
            before = self.files()
            path = pathlib.Path(folder, "work.json")
            outcome = run(TOOL, "trace", process, "-d", "2s", "-o", path)
            self.assertEqual((outcome.stdout, outcome.returncode), (f"{path}\n", 0), outcome.stderr)
            story = json.loads(path.read_text())
            busy = [story["strings"][queue["label"]] for queue in story["queues"]].index("org.example.busy")
            self.assertGreater(story["items"]["queue"].count(busy), 10)
            self.assertEqual(self.files(), before)

    def test_the_first_process_writes_its_recording_when_asked_to_end(self):
        folder = self.root / "recordings"
        with self.container(SIGNALBOX_TRACE="/recordings/end-%t.sbtrace", SIGNALBOX_TRACE_WHEN="TERM") as process:
            os.kill(process, signal.SIGTERM)
            end = time.monotonic() + LIMIT
            while not list(folder.glob("end-*.sbtrace")) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(len(list(folder.glob("end-*.sbtrace"))), 1)
            # The kernel does not end it, so its input still does: with the status 0.

    def test_a_recording_of_its_own_is_read_where_nothing_else_is(self):
        with self.container(SIGNALBOX_TRACE="/recordings/stuck-%t.sbtrace"):
            pass
        (recording,) = (self.root / "recordings").glob("stuck-*.sbtrace")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "proc").mkdir()
            shutil.copy2(TOOL.parent / "signalbox-trace", folder)
            shutil.copy2(recording, pathlib.Path(folder, "a.sbtrace"))
            # A machine with these two files and the kernel's, which the Swift runtime needs.
            outcome = run("unshare", *NAMESPACES, "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
                          folder, "/signalbox-trace", "/a.sbtrace", "-o", "/a.html")
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            self.assertIn("org.example.busy", pathlib.Path(folder, "a.html").read_text())


if __name__ == "__main__":
    unittest.main()
