"""What the toolchain's Dispatch does wrong (Documentation/KnownDefects.md) and does not on our library: the program
that shows it there, unchanged. It needs half a minute, in which it mostly does nothing."""
import os
import unittest

from place import BUILT, on_ours


class Defects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        outcome = on_ours(BUILT / "defects-toolchain", "20000")
        if outcome.returncode or outcome.stderr:
            raise AssertionError(f"{outcome.returncode}: {outcome.stdout}\n{outcome.stderr}")
        cls.facts = {}
        for line in outcome.stdout.splitlines():
            _, code, what, value = line.split("\t")
            cls.facts.setdefault(code, {})[what] = value

    def values(self, code, kind=str):
        return [kind(value.split()[0]) for value in self.facts[code].values()]

    def test_classes_have_an_effect(self):
        background, enforced = self.values("D8")[:2]
        self.assertGreater(int(background), os.nice(0))
        self.assertEqual(int(enforced), os.nice(0))
        self.assertEqual(self.values("D34", int), [0])
        self.assertEqual(self.values("D27"), ["userInteractive"] * 2)

    def test_every_blocked_item_runs(self):
        self.assertEqual(len(self.facts["D11"]), 3)
        for what, value in self.facts["D11"].items():
            running, _, count = value.split()[:3]
            self.assertEqual(running, count, what)

    def test_a_process_that_does_nothing_sleeps(self):
        # The toolchain's wakes each second.
        self.assertLess(self.values("D12", int)[0], 5)
        # The first thread and two others.
        self.assertLessEqual(self.values("D24", int)[0], 3)

    def test_timers_share_wake_ups_within_their_leeway(self):
        without, within = self.values("D13", int)
        self.assertLess(2 * within, without)

    def test_a_wait_follows_the_clock_of_its_deadline(self):
        self.assertEqual(self.values("D16"), ["monotonic"])

    def test_a_cancelled_item_keeps_nothing(self):
        self.assertEqual(self.values("D22", int), [0])

    def test_a_hang_up_is_reported_once(self):
        self.assertEqual(len(self.facts["D20"]), 2)
        for calls in self.values("D20", int):
            self.assertLessEqual(calls, 1)

    def test_a_read_of_a_pipe_can_be_stopped(self):
        self.assertTrue(self.facts["D21"]["read of a silent pipe, stopped"].startswith("error 125 "))


if __name__ == "__main__":
    unittest.main()
