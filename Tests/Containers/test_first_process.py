"""The first process of a container inherits orphans; who started a child takes its status."""
import unittest

from limited_case import LimitedCase
from limits import PROC, contained


class FirstProcess(LimitedCase):
    def test_the_library_works_there(self):
        self.expect_all(contained(PROC))

    def test_the_program_takes_the_status_of_children_and_of_orphans(self):
        outcome = self.under(contained(PROC), "orphans")
        self.assertEqual((outcome.code, outcome.said), (0, ""))
        self.assertEqual(outcome.facts, {"process": "1", "child": "7", "orphan": "9", "more": "-1"})


if __name__ == "__main__":
    unittest.main()
