"""Judges a run. Each point has a name, whether it holds, and the figures."""
import dataclasses
import statistics

from soaking import trend
from soaking.process import Reading

# One cycle in so many comes first and is left out: until then the heap and the stacks of threads
# grow to what the load needs.
WARM_UP = 6
# Growth that is no leak: a hundredth, and room for what the C library's arenas and the caches of
# threads differ by from one pause to the next.
SHARE, ROOM = 0.01, 256
HEAP_ROOM = 64  # KiB, for what the caches of threads hold of the heap
CERTAIN = 0.01  # a rise less probable than this among values without a trend is a trend
FEWEST = 6  # of fewer values even those that all rise are not that certain
# By how much the last cycles may be slower than the first: a factor, and seconds. The slowest in a
# hundred are those that something interrupted, so they differ more from one cycle to the next.
SLOWER = {"p50": (1.5, 0.00005), "p99": (2.0, 0.0005)}


@dataclasses.dataclass
class Cycle:
    answers: int
    p50: float  # seconds
    p99: float
    heap: float  # KiB that the server holds of the C library's allocator, at the end of the pause
    reading: Reading  # at the end of the pause


@dataclasses.dataclass
class Run:
    before: dict  # the descriptors before the first connection
    cycles: list = dataclasses.field(default_factory=list)
    last: Reading = None  # after the last connection
    after: dict = None  # the descriptors then

    @property
    def warm(self):
        return self.cycles[max(1, len(self.cycles) // WARM_UP):]


def points(run, tally):
    """All but the end of the server."""
    if run.last is None:
        yield "run", False, "it ended early"
    else:
        yield "descriptors", *descriptors(run.before, run.after)
        yield "threads", *threads(run.cycles[0].reading.threads, run.last.threads)
        yield "children", *children([cycle.reading.children for cycle in run.cycles], run.last.children)
        yield "heap in use", *memory([cycle.heap for cycle in run.warm], run.warm, HEAP_ROOM)
        yield "resident memory", *memory([cycle.reading.resident for cycle in run.warm], run.warm)
        yield "private memory", *memory([cycle.reading.private for cycle in run.warm], run.warm)
        yield "p50 of echo", *latency(run.warm, "p50")
        yield "p99 of echo", *latency(run.warm, "p99")
    yield "answers", *answers(tally)


def descriptors(before, after):
    text = f"{len(before)} before the first connection, {len(after)} at the end"
    more = sorted(link for number, link in after.items() if number not in before)
    return len(after) == len(before), ", with ".join([text, *more])


def threads(first, last):
    return last <= first, f"{first} after the first cycle, {last} at the end"


def children(counts, last):
    return not any(counts) and not last, f"{sum(counts)} left at the ends of the cycles, {last} at the end"


def memory(values, cycles, room=ROOM):
    if len(values) < FEWEST:
        return True, f"not judged, because {len(values)} cycles are too few"
    growth, chance = trend.slope(values) * (len(values) - 1), trend.chance(values)
    bound = SHARE * statistics.median(values) + room
    leak = bound * 1024 / max(1, sum(cycle.answers for cycle in cycles[1:]))
    return chance >= CERTAIN or growth <= bound, (
        f"{growth:+.0f} KiB of {statistics.median(values):.0f} over {len(values)} cycles, "
        f"noise {trend.noise(values):.0f} KiB, by chance with probability {chance:.2g}; "
        f"{bound:.0f} KiB are allowed, or {leak:.2g} bytes an answer")


def latency(cycles, name):
    values = [getattr(cycle, name) for cycle in cycles]
    if len(values) < 2:
        return True, "not judged, because there are too few cycles"
    several = max(1, len(values) // 8)
    first, last = (statistics.median(part) for part in (values[:several], values[-several:]))
    factor, room = SLOWER[name]
    return last <= first * factor + room, (
        f"{first * 1e6:.0f} µs at first, {last * 1e6:.0f} µs at last, each the median of {several}")


def answers(tally):
    wrong, pending = tally.counts.get("wrong"), tally.counts.get("pending")
    # The request for the counts is pending itself.
    return not tally.faults and (wrong, pending) == (0, 1), (
        f"{tally.answered.total()} were checked, {len(tally.faults)} faults; the server counts {wrong} faults, "
        f"and {pending} requests pending at the end")


def end(status, output, said):
    text = f"status {status}, output {output!r}"
    return (status, output, said) == (0, "done\n", ""), f"{text}, and on standard error:\n{said}" if said else text
