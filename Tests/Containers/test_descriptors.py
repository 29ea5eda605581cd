"""A process that may open few files."""
import signal
import unittest

from limited_case import LimitedCase
from limits import few_descriptors


class Descriptors(LimitedCase):
    def test_32_are_enough(self):
        self.expect_all(few_descriptors(32))

    def test_five_are_not(self):
        outcome = self.under(few_descriptors(5), "most-of-the-library")
        self.assertEqual((outcome.code, outcome.facts["global"]), (-signal.SIGABRT, "100"))
        self.assertEqual(outcome.said, "SIGNALBOX CANNOT CONTINUE: timerfd_create failed with errno 24: the process is "
                         "out of descriptors; raise its limit (ulimit -n) or close some.\n")


if __name__ == "__main__":
    unittest.main()
