"""What a control group grants: memory, threads, processor time."""
import unittest

from limited_case import THREADS, LimitedCase


class ControlGroups(LimitedCase):
    def test_64_mebibytes_of_memory(self):
        self.expect_all(self.group("memory", 64 << 20))

    def test_eight_threads(self):
        self.expect_all(self.group("pids", THREADS), THREADS)

    def test_workers_that_poll_run_items_where_no_thread_is_left(self):
        for threads in (2, 3):
            outcome = self.under(self.group("pids", threads), "items-beside-pollers")
            self.assertEqual((outcome.code, outcome.facts), (0, {"ran": "20", "fired": "after them"}), outcome.said)

    def test_half_a_processor(self):
        command = self.group("cpu", 50_000)
        self.expect_all(command)
        self.assertEqual(self.under(command, "width").facts["width"], "1")


if __name__ == "__main__":
    unittest.main()
