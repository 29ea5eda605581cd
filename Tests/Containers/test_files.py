"""Files that a container lacks: a root that can be written, /proc, /dev/shm."""
import subprocess
import unittest

from limited_case import LimitedCase
from limits import NO_PROC, NO_SHARED_MEMORY, PROC, READ_ONLY, contained
from place import ENVIRONMENT


class Files(LimitedCase):
    def expect_without(self, *mounts, command, problem):
        """Most of the library works where this command fails."""
        under = contained(*mounts)
        self.expect_all(under)
        ended = subprocess.run([*under, "sh", "-c", command], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(problem, ended.stderr)

    def test_a_root_that_cannot_be_written(self):
        self.expect_without(PROC, READ_ONLY, command="touch /signalbox", problem="Read-only file system")

    def test_a_recording_has_no_place_there(self):
        outcome = self.under(contained(PROC, READ_ONLY), "width", SIGNALBOX_TRACE="/signalbox.sbtrace")
        self.assertEqual((outcome.code, len(outcome.facts)), (0, 2))
        self.assertEqual(
            outcome.said, 'SIGNALBOX: the recording could not be written to "/signalbox.sbtrace": open failed with '
            "errno 30, Read-only file system. This program runs untraced.\n")

    def test_no_place_for_shared_memory(self):
        self.expect_without(PROC, NO_SHARED_MEMORY, command="ls /dev/shm", problem="No such file")

    def test_no_proc(self):
        self.expect_without(NO_PROC, command="ls /proc/self", problem="No such file")

    def test_neither_a_file_nor_memory_can_be_watched_without_proc(self):
        outcome = self.under(contained(PROC), "watched-file")
        self.assertEqual((outcome.code, outcome.facts, outcome.said), (0, {"file": "told"}, ""))
        for source, problem in (("file", "/proc must be mounted"), ("memory", "/proc/pressure/memory does not exist")):
            outcome = self.under(contained(NO_PROC), f"watched-{source}")
            self.assertEqual((outcome.code, outcome.facts), (0, {source: "cancelled"}), outcome.said)
            self.assertIn(problem, outcome.said)
            self.assertEqual(outcome.said.count("\n"), 1, outcome.said)


if __name__ == "__main__":
    unittest.main()
