"""Counts answers, and keeps what was wrong with some."""
import collections

MOST = 20  # faults after which going on tells nothing new


class Tally:
    def __init__(self):
        self.answered = collections.Counter()
        self.faults = []
        self.tickets = []  # of `lock` in this cycle: the first one, and how many
        self.highest = 0  # no ticket below is given again
        self.counts = {}  # the server's own, from the last `stats`

    @property
    def is_hopeless(self):
        return len(self.faults) >= MOST

    def fault(self, text):
        self.faults.append(text)
        if len(self.faults) <= MOST:
            print(f"soak: {text}", flush=True)

    def check(self, request, result, seconds):
        """Compares an answer with what it must be."""
        self.answered[request.kind] += 1
        asked = f"{request.number} {request.kind} {request.argument[:60]}"
        if request.kind == "stats":
            self.counts = {name: int(count) for name, _, count in (word.partition("=") for word in result.split())}
        elif request.kind == "lock":
            first, _, half_written = result.partition(" ")
            if first.isdecimal() and half_written == "0":
                self.tickets.append((int(first), int(request.argument)))
            else:
                self.fault(f"{asked}: answered {result[:80]!r}")
        elif result != request.result:
            self.fault(f"{asked}: answered {result[:80]!r}, not {request.result[:80]!r}")
        elif seconds < request.least:
            self.fault(f"{asked}: answered after {seconds * 1000:.1f} ms")

    def end_cycle(self):
        """Tickets are given once. Some have gone to clients that went before the answer."""
        for first, count in sorted(self.tickets):
            if first < self.highest:
                self.fault(f"the ticket {first} was given twice")
            self.highest = max(self.highest, first + count)
        self.tickets = []
