"""The contents of a recording, read from its story in JSON without the page's script."""
import json
import re
import subprocess

from browser import ROOT

TRACE = ROOT / ".build/debug/signalbox-trace"
# Steps of a run loop, with the page's names: what observers receive, and where the loop works.
TOLD = {0, 1, 2, 6, 8}
WORKS = {3: "block", 4: "source", 9: "timer", 10: "port", 11: "main queue", 14: "perform"}
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}


def nanoseconds(text):
    """A duration as the page writes it, or None if there is none."""
    parts = re.findall(r"([\d.]+)[\s\u00a0](ns|µs|ms|s|min|h)\b", text)
    return sum(float(number) * UNITS[unit] for number, unit in parts) if parts else None


def is_about(text, time):
    """Whether a text contains this time, with the precision of the page."""
    said = nanoseconds(text)
    if said is None:
        return False
    return abs(said - time) <= max(1, 0.006 * time)


def union(spans):
    """Merges spans that touch."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        elif end > begin:
            result.append([begin, end])
    return result


def length(spans):
    return sum(end - begin for begin, end in union(spans))


def clipped(spans, begin, end):
    return [(max(begin, a), min(end, b)) for a, b in spans if a < end and b > begin]


def common(spans, others):
    return [(max(a, c), min(b, d)) for a, b in union(spans) for c, d in union(others)
            if max(a, c) < min(b, d)]


class Recording:
    def __init__(self, path, until=None):
        """Reads a recording or its story in JSON, without what is after the time `until`."""
        if path.suffix != ".json":
            subprocess.run([TRACE, path, "-o", path.with_suffix(".json")], check=True, timeout=120)
            path = path.with_suffix(".json")
        self.story = json.loads(path.read_text(encoding="utf-8"))
        self.end = self.story["meta"]["duration"] if until is None else until
        self.strings = self.story["strings"]
        self.threads = self.story["threads"]
        self.main = next(i for i, each in enumerate(self.threads) if each["role"] == "main")
        self.items = self.rows("items", "submitted")
        self.waits = self.rows("waits", "began")
        for item in self.items:
            item["start"] = min(item["started"] if item["started"] >= 0 else self.end, self.end)
            item["stop"] = min(item["finished"] if item["finished"] >= 0 else self.end, self.end)
            item["waited"] = max(0, item["start"] - item["submitted"]) if item["submitted"] >= 0 else 0
        for wait in self.waits:
            wait["stop"] = min(wait["ended"] if wait["ended"] >= 0 else self.end, self.end)
            wait["time"] = wait["stop"] - wait["began"]
        self.names = self.named()

    def rows(self, table, time):
        columns = self.story[table]
        rows = [dict(zip(columns, values), id=i) for i, values in enumerate(zip(*columns.values()))]
        return [row for row in rows if row[time] < self.end]

    def named(self):
        """Names of items: the first mark within an item, unless an inner item contains the mark."""
        names = {}
        for mark in self.rows("marks", "at"):
            around = [item for item in self.items if item["runner"] == mark["thread"]
                      and item["started"] >= 0 and item["start"] <= mark["at"] <= item["stop"]]
            if around:
                innermost = max(around, key=lambda item: (item["start"], -item["stop"]))
                names.setdefault(innermost["id"], self.strings[mark["text"]])
        return names

    def name(self, item):
        return self.names.get(item["id"], f"item {item['id'] + 1}")

    def thread(self, index):
        return "main thread" if index == self.main else self.strings[self.threads[index]["name"]]

    def queue(self, index):
        return self.strings[self.story["queues"][index]["label"]]

    def is_idle(self, wait):
        """Whether the thread had nothing to do, instead of being kept from its work."""
        if wait["object"] >= 0:
            return self.story["objects"][wait["object"]]["kind"] == "runLoop"
        return (wait["queue"] >= 0 and wait["item"] < 0 and wait["thread"] == self.main
                and self.story["queues"][wait["queue"]]["kind"] == "main")

    def wait_words(self, wait):
        reason = self.strings[wait["reason"]]
        return f"{reason} {self.queue(wait['queue'])}" if wait["queue"] >= 0 else reason

    def blocked_workers(self):
        """The waits of workers, longest first."""
        found = [wait for wait in self.waits if self.threads[wait["thread"]]["role"] == "worker"]
        return sorted(found, key=lambda wait: -wait["time"])

    def spans(self, run_pass):
        """In a pass of a run loop: each piece of work that directly follows a step reported to
        observers, as the number of its step and the time between both."""
        steps = [step for step in self.rows("steps", "at") if step["thread"] == run_pass["thread"]
                 and run_pass["began"] <= step["at"] <= run_pass["ended"]]
        return [(work["step"], work["at"] - told["at"]) for told, work in zip(steps, steps[1:])
                if told["step"] in TOLD and work["step"] in WORKS]

    def activity(self, thread, begin, end):
        """How long a thread ran items, was blocked and was idle, and which items it ran."""
        ran = [item for item in self.items if item["runner"] == thread and item["started"] >= 0
               and item["start"] < end and item["stop"] > begin]
        outer = [item for item in ran if not any(
            other is not item and other["start"] <= item["start"] and item["stop"] <= other["stop"]
            for other in ran)]
        running = clipped([(item["start"], item["stop"]) for item in ran], begin, end)
        waits = [wait for wait in self.waits if wait["thread"] == thread]
        blocked, idle = ([(wait["began"], wait["stop"]) for wait in waits
                          if self.is_idle(wait) == wanted] for wanted in (False, True))
        blocked, idle = clipped(blocked, begin, end), clipped(idle, begin, end)
        return {"running": length(running) - length(common(running, blocked)),
                "blocked": length(blocked), "idle": length(idle), "items": outer,
                "entries": len(outer) + len(blocked)}
