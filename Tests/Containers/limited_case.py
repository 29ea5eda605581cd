"""What all tests of limits share: a test that the machine cannot make is skipped, and says why."""
import sys
import tempfile
import unittest

import control_group
import limits
from place import TEXT, run

# What the scenario prints, besides how many of its 64 items waited at once.
FACTS = {"serial": "100", "concurrent": "100", "global": "100", "asyncAfter": "ran", "timer": "repeated",
         "read": "1", "signal": "told", "child": "7", "bytes": str(len(TEXT)), "error": "0", "loop": "1",
         "operations": "10", "ended": "64", "main": "ran"}
# A container's threads: the first one, and seven more, not one for each item that waits.
THREADS = 8
REFUSED = (r"\ASIGNALBOX: the system refused a thread \(pthread_create failed with errno 11\): the pool continues with "
           r"[1-7] and tries again\. Raise the limit on threads \(ulimit -u, pids\.max\) or on memory\.\n\Z")


class LimitedCase(unittest.TestCase):
    def skip(self, reason):
        print(f"{self.id()} is skipped: {reason}", file=sys.stderr)
        self.skipTest(reason)

    def group(self, controller, value):
        """Words before a command that is to run in a control group with this limit."""
        group, problem = control_group.made(controller, value)
        if problem:
            self.skip(problem)
        self.addCleanup(group.remove)
        return group.around()

    def under(self, command, *words, **variables):
        """How a scenario ends under the limits of a command."""
        problem = limits.refusal(command)
        if problem:
            self.skip(f"this machine does not make the limit: {problem}")
        with tempfile.TemporaryFile() as file:
            file.write(TEXT)
            file.seek(0)
            return run(command, *words, file=file, **variables)

    def expect_all(self, command, threads=None):
        """Most of the library works under the limits, and says nothing unless it cannot have a thread for each of
        64 items that wait."""
        outcome = self.under(command, "most-of-the-library", *(["refused"] if threads else []))
        self.assertEqual(outcome.code, 0, outcome.said)
        self.assertIn(int(outcome.facts.pop("waiting")), range(1, threads) if threads else [64])
        self.assertEqual(outcome.facts, FACTS, outcome.said)
        self.assertRegex(outcome.said, REFUSED if threads else r"\A\Z")
