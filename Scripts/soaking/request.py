"""The requests of the soak, with what a right answer to each is: see Request.swift of Tests/Soak.

Each client draws its requests from a generator of its own, so a seed repeats them, however they
are timed."""
import dataclasses
import itertools
import random

WORD = 1 << 64  # the server's sums wrap around
# The file that the server reads: bytes without a short period, so that a wrong position shows.
CONTENT = random.Random(0).randbytes(16 << 10)
SUMS = [0, *itertools.accumulate(CONTENT)]
# How often each kind is drawn. Children are rare, because starting one costs far more than the rest.
MIX = {"echo": 48, "work": 13, "later": 13, "lock": 11, "task": 8, "file": 4, "operation": 3, "child": 0.5}
CANCELLED = 5000  # milliseconds; so long that it is always cancelled before


@dataclasses.dataclass(slots=True)
class Request:
    number: int
    kind: str
    argument: str
    result: str | None  # None where `Tally` looks at the answer: `lock` and `stats`
    least: float = 0.0  # seconds that the answer must take

    @property
    def line(self):
        return f"{self.number} {self.kind} {self.argument}\n".encode()


def squares(first, count):
    """The sum of the squares of `count` numbers from `first` on."""
    return (count * first ** 2 + first * count * (count - 1)
            + (count - 1) * count * (2 * count - 1) // 6) % WORD


def numbers(first, count):
    return (count * first + count * (count - 1) // 2) % WORD


def drawn(source, number, mix=MIX):
    kind = source.choices(list(mix), list(mix.values()))[0]
    return globals()[kind](source, number)


def echo(source, number, length=None):
    length = source.randrange(1, 200) if length is None else length
    text = "".join(source.choices("abcdefghij klmnop", k=16)) * (length // 16 + 1)
    return Request(number, "echo", text[:length], text[:length])


def work(source, number):
    count = source.randrange(400)
    return Request(number, "work", f"{count}", f"{squares(number, count)}")


def later(source, number):
    if source.random() < 0.3:
        return Request(number, "later", f"{CANCELLED} cancel", "cancelled")
    milliseconds = source.randrange(1, 300)
    return Request(number, "later", f"{milliseconds}", f"{milliseconds}", milliseconds / 1000)


def lock(source, number):
    return Request(number, "lock", f"{source.randrange(1, 64)}", None)


def task(source, number):
    count = source.randrange(12)
    return Request(number, "task", f"{count}", f"{numbers(number, count)}")


def operation(source, number):
    count = source.randrange(16)
    return Request(number, "operation", f"{count}", f"{numbers(number, count)}")


def child(source, number):
    status = source.randrange(100)
    return Request(number, "child", f"{status}", f"{status}")


def file(source, number):
    start, end = sorted(source.sample(range(len(SUMS)), 2))
    return Request(number, "file", f"{start} {end - start}", f"{SUMS[end] - SUMS[start]}")


def stats(_, number):
    return Request(number, "stats", "", None)
