"""The judges of the soak see a leak, a slower answer and what is left over, and nothing in noise."""
import contextlib
import io
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))

from soaking import request, trend, verdict  # noqa: E402
from soaking.process import Reading  # noqa: E402
from soaking.tally import Tally  # noqa: E402


def run(count=60, resident=lambda cycle: 0, heap=lambda cycle: 0, p50=lambda cycle: 0.0002, p99=lambda cycle: 0.001):
    """A run of a server that needs 20,000 KiB, with the same noise in every test."""
    source, found = random.Random(7), verdict.Run(before={0: "/dev/null", 1: "pipe:[1]"})
    for cycle in range(count):
        memory = 20000 + source.randrange(-60, 60) + resident(cycle)
        reading = Reading(round(memory), round(memory) - 8000, 4, 2, 0)
        found.cycles.append(verdict.Cycle(
            10000, source.uniform(0.9, 1.1) * p50(cycle), source.uniform(0.7, 1.3) * p99(cycle),
            400 + source.randrange(-30, 30) + heap(cycle), reading))
    found.last, found.after = Reading(20000, 12000, 4, 2, 0), dict(found.before)
    return found


def failures(run, tally=None):
    if tally is None:
        tally = Tally()
        tally.counts = {"wrong": 0, "pending": 1}
    return [name for name, holds, _ in verdict.points(run, tally) if not holds]


class VerdictTests(unittest.TestCase):
    def test_a_steady_server_passes(self):
        self.assertEqual(failures(run()), [])

    def test_a_slow_leak_is_seen(self):
        self.assertEqual(failures(run(resident=lambda cycle: 12 * cycle)), ["resident memory", "private memory"])

    def test_a_leak_that_the_pages_hide_is_seen(self):
        self.assertEqual(failures(run(heap=lambda cycle: 3 * cycle)), ["heap in use"])

    def test_growth_before_the_load_has_reached_all_is_none(self):
        self.assertEqual(failures(run(resident=lambda cycle: -3000 // (cycle + 1) ** 3)), [])

    def test_single_high_values_are_no_growth(self):
        self.assertEqual(failures(run(resident=lambda cycle: 4000 * (cycle in (20, 40, 55, 59)))), [])

    def test_slower_answers_are_seen(self):
        slower = run(p50=lambda cycle: 0.0002 + 0.00001 * cycle, p99=lambda cycle: 0.001 + 0.0001 * cycle)
        self.assertEqual(failures(slower), ["p50 of echo", "p99 of echo"])

    def test_what_is_left_over_is_seen(self):
        left = run()
        left.last = Reading(20000, 12000, 5, 3, 1)
        left.after[9] = "socket:[7]"
        self.assertEqual(failures(left), ["descriptors", "threads", "children"])

    def test_an_early_end_is_a_failure(self):
        self.assertEqual(failures(verdict.Run({})), ["run"])


class TrendTests(unittest.TestCase):
    def test_the_slope_is_that_of_most_pairs(self):
        self.assertEqual(trend.slope([0, 2, 4, 1000, 8, 10, 12]), 2)

    def test_a_rise_of_all_values_is_certain_if_there_are_enough(self):
        self.assertLess(trend.chance(list(range(verdict.FEWEST))), verdict.CERTAIN)
        self.assertGreater(trend.chance(list(range(verdict.FEWEST - 1))), verdict.CERTAIN)

    def test_values_that_fall_or_are_equal_do_not_rise(self):
        self.assertEqual(trend.chance([5, 4, 3, 2, 1]), 1)
        self.assertEqual(trend.chance([3, 3, 3, 3, 3]), 1)


@contextlib.contextmanager
def unprinted():
    with contextlib.redirect_stdout(io.StringIO()):
        yield Tally()


class TallyTests(unittest.TestCase):
    def check(self, asked, result, seconds=1.0):
        with unprinted() as tally:
            tally.check(asked, result, seconds)
        return bool(tally.faults)

    def test_a_wrong_answer_is_a_fault(self):
        asked = request.work(random.Random(1), 5)
        self.assertFalse(self.check(asked, asked.result))
        self.assertTrue(self.check(asked, asked.result + "1"))

    def test_the_sums_are_those_of_the_numbers(self):
        self.assertEqual(request.squares(5, 3), 25 + 36 + 49)
        self.assertEqual(request.numbers(5, 3), 5 + 6 + 7)
        self.assertEqual((request.squares(5, 0), request.numbers(5, 0)), (0, 0))

    def test_an_answer_that_comes_too_early_is_a_fault(self):
        self.assertTrue(self.check(request.Request(1, "later", "20", "20", 0.02), "20", 0.01))

    def test_a_ticket_that_is_given_twice_is_a_fault(self):
        with unprinted() as tally:
            for number, first in ((1, 0), (2, 8), (3, 7)):
                tally.check(request.Request(number, "lock", "4", None), f"{first} 0", 1.0)
            tally.end_cycle()
        self.assertEqual(len(tally.faults), 1)


if __name__ == "__main__":
    unittest.main()
