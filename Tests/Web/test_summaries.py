"""The summary on a terminal and the page's table of queues agree about one recording."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from browser import PATIENCE, ROOT, Browser
from recording import TRACE, Recording, is_about
from story_builder import CUT, LIKELY

PACKAGE = ROOT / "Examples/GooglyPuff"
COLUMNS = ("items", "depth", "wait50", "wait99", "run50", "run99", "blocked")
# The width of each column in letters, from the right.
WIDTHS = (7, 6, 9, 8, 8, 8, 8)


def told(summary):
    """The rows of the summary's table of queues: a name, which may be truncated, and its
    columns."""
    table = re.search(r"^QUEUE .*\n((?:.+\n)+)", summary, re.M)[1]
    for line in table.splitlines():
        cells = []
        for width in reversed(WIDTHS):
            line, cell = line[:-width], line[-width:].strip()
            cells.insert(0, cell)
        yield line.strip(), dict(zip(COLUMNS, cells))


class Summaries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def record(self, size):
        folder = tempfile.TemporaryDirectory(prefix="signalbox-summaries-")
        self.addCleanup(folder.cleanup)
        trace = pathlib.Path(folder.name, "run.sbtrace")
        subprocess.run(
            [PACKAGE / ".build/release/GooglyPuff", "--out", trace.parent / "out", PACKAGE / "Photos"],
            env={**os.environ, "SIGNALBOX_TRACE": str(trace), "SIGNALBOX_TRACE_SIZE": size},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * PATIENCE, check=True)
        return trace

    def compare(self, trace):
        summary = subprocess.run([TRACE, trace], capture_output=True, text=True, check=True,
                                 timeout=PATIENCE).stdout
        page = trace.with_suffix(".html")
        subprocess.run([TRACE, trace, "-o", page], check=True, timeout=PATIENCE)
        self.browser.visit(page)
        shown = {row[0]: dict(zip(COLUMNS, row[1:])) for row in self.browser.value(
            "Signalbox.page.statistics().queues.filter((row) => row.items > 0).map((row) => ["
            "Signalbox.page.names.queue(row.queue), row.items, row.greatestDepth, row.waiting.median, "
            "row.waiting.p99, row.running.median, row.running.p99, row.blocked])")}
        rows = list(told(summary))
        self.assertGreater(len(rows), 2, summary)
        for name, cells in rows:
            found = [row for label, row in shown.items()
                     if label == name or name.endswith("…") and label.startswith(name[:-1])]
            self.assertEqual(len(found), 1, (name, list(shown)))
            for column, text in cells.items():
                value = found[0][column]
                same = text == str(value) if text.isdigit() else is_about(text, value)
                self.assertTrue(same, f"{name}, {column}: {text} and {value}\n{summary}")

    def test_of_a_whole_run(self):
        self.compare(self.record("16M"))

    def test_of_a_run_whose_beginning_was_lost(self):
        trace = self.record("32K")
        items = Recording(trace).items
        self.assertTrue(any(item["flags"] & (CUT | LIKELY) for item in items))
        self.assertTrue(any(item["started"] >= 0 > item["finished"] for item in items))
        self.compare(trace)


if __name__ == "__main__":
    unittest.main()
