"""Writes stories like the recorder's reader: tests add rows, and the builder gives columns."""
import json

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000

BARRIER, DELAYED, HANDLER, JOB, SYNC, LIKELY, CUT = 1, 2, 4, 8, 16, 32, 64

COLUMNS = {
    "items": ("queue submitted started finished submitter runner within flags qos switches "
              "preempted task").split(),
    "tasks": "number name".split(),
    "waits": "thread began ended object queue reason owner waker item timedOut".split(),
    "parked": "thread began ended".split(),
    "timers": "object thread fired due late".split(),
    "steps": "thread at step object".split(),
    "passes": "thread object began ended".split(),
    "holds": "thread object taken left".split(),
    "marks": "thread at text".split(),
    "intervals": "name details number thread began ender ended item within flags".split(),
    "gaps": "thread at lost".split(),
    "drains": "thread queue began ended".split(),
    "loops": "thread iterations began ended item".split(),
    "turns": "object thread at entry".split(),
    "operations": "object queued ready started finished cancelled thread item".split(),
}
UNKNOWN = {"flags": 0, "qos": 0, "switches": 0, "preempted": 0, "timedOut": 0, "late": 0,
           "number": 0}


class StoryBuilder:
    def __init__(self, program="Example", **meta):
        self.meta = {"program": program, "pid": 4242, "began": "2026-11-22T18:00:00.123Z",
                     "duration": 0, "processors": 4, "lostEvents": 0, "lostNames": 0,
                     "why": "end", "notes": [], **meta}
        self.strings, self.numbers = [], {}
        self.threads, self.queues, self.objects, self.advice = [], [], [], []
        self.rows = {name: {column: [] for column in columns} for name, columns in COLUMNS.items()}

    def text(self, text):
        if text not in self.numbers:
            self.numbers[text] = len(self.strings)
            self.strings.append(text)
        return self.numbers[text]

    def thread(self, name="", role="worker", began=0, ended=-1):
        number = len(self.threads) + 1
        self.threads.append({"number": number, "name": self.text(name), "kernel": 4241 + number,
                             "role": role, "began": began, "ended": ended})
        return number - 1

    def queue(self, label, kind="serial", target=-1):
        self.queues.append({"label": self.text(label), "kind": kind, "target": target})
        return len(self.queues) - 1

    def object(self, kind, name="", described=False):
        self.objects.append({"kind": kind, "name": self.text(name),
                             **({"described": True} if described else {})})
        return len(self.objects) - 1

    def add(self, table, **values):
        for column, numbers in self.rows[table].items():
            numbers.append(values.pop(column, UNKNOWN.get(column, -1)))
        assert not values, values
        return len(numbers) - 1

    def item(self, queue, submitted, started, finished, submitter=-1, runner=-1, **more):
        return self.add("items", queue=queue, submitted=submitted, started=started,
                        finished=finished, submitter=submitter, runner=runner, **more)

    def wait(self, thread, began, ended, reason, **more):
        return self.add("waits", thread=thread, began=began, ended=ended,
                        reason=self.text(reason), **more)

    def mark(self, thread, at, text):
        return self.add("marks", thread=thread, at=at, text=self.text(text))

    def interval(self, thread, began, ended, name, details="", **more):
        """`ender` is the thread, unless given or the interval has not ended."""
        return self.add("intervals", name=self.text(name),
                        details=self.text(details) if details else -1, thread=thread, began=began,
                        ended=ended, **{"ender": thread if ended >= 0 else -1, **more})

    def advise(self, kind, queue, finding, remedy, *places):
        self.advice.append({"kind": kind, "queue": queue, "finding": finding, "remedy": remedy,
                            "places": [{"function": function, "count": count}
                                       for function, count in places]})

    def story(self):
        return {"format": "signalbox-story", "version": 1, "meta": self.meta,
                "strings": self.strings, "threads": self.threads, "queues": self.queues,
                "objects": self.objects, **self.rows, "advice": self.advice}

    def json(self):
        return json.dumps(self.story(), separators=(",", ":"), ensure_ascii=False)
