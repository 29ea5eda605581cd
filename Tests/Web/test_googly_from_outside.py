"""GooglyPuff asked by `signalbox` while it runs, as the article BuildingGooglyPuff shows it."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from browser import PATIENCE, ROOT

PHOTOS = ROOT / "Examples/GooglyPuff/Photos"
PROGRAM = ROOT / "Examples/GooglyPuff/.build/release/GooglyPuff"
TOOL = ROOT / ".build/debug/signalbox"
ARTICLE = ROOT / "Documentation/Signalbox.docc/BuildingGooglyPuff.md"
SESSION = re.compile(r"^```console\n\$ signalbox (\w+).*?\n(.*?)^```$", re.M | re.S)
# Enough that a trace begins before all are done, on as many processors as a command line has room for.
MANY = 150 * min(max(2, os.cpu_count()), 100)
# Enough that the main queue is busy for longer than the app is asked, which is so often.
SERVED, ASKED = 40, 5


def shape(line):
    """The line without what differs from run to run: numbers, addresses, lengths of time, the busiest queue."""
    line = re.sub(r"\bfor [\d.]+ (?:ns|µs|ms|s|min)\b", "for a time", line)
    line = re.sub(r"0x[0-9a-f]+", "0x", line)
    line = re.sub(r'busiest "[^"]*"', "busiest", line)
    return re.sub(r"\d+(?:\.\d+)?", "N", line).replace("N items", "N item").split()


def shown(command):
    """The lines of output that the article shows for a command."""
    said = dict(SESSION.findall(ARTICLE.read_text(encoding="utf-8")))
    return [line for line in said[command].splitlines() if line and not line.startswith("$")]


class FromOutside(unittest.TestCase):
    def start(self, *arguments):
        folder = tempfile.TemporaryDirectory(prefix="signalbox-outside-")
        self.addCleanup(folder.cleanup)
        process = subprocess.Popen([PROGRAM, *arguments], cwd=folder.name, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   env={**os.environ, "TMPDIR": folder.name})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return pathlib.Path(folder.name), process

    def serve(self):
        """The app, with many photos to be worked on by the main queue. Returns its process."""
        _, process = self.start("serve", "--work-on", "main", *[PHOTOS / "hubble_deep_field.jpg"] * SERVED)
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        deadline = time.monotonic() + PATIENCE
        while self.ask(address + "state").count(b'"status":"ready"') < SERVED:
            self.assertLess(time.monotonic(), deadline, "the photos are not read")
        for number in range(1, SERVED + 1):
            # The app answers late, or not before it is killed.
            threading.Thread(target=self.ask, args=(f"{address}photos/{number}/work", "POST")).start()
        return process

    def ask(self, address, method="GET"):
        request = urllib.request.Request(address, method=method, headers={"X-GooglyPuff": "1"})
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()
        return b""

    def tool(self, *words):
        return subprocess.run([TOOL, *map(str, words)], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def until_shown(self, command, ask):
        """Asks until the output has each line of the article, of apps that are begun anew."""
        wanted = [shape(line) for line in shown(command)]
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            process = self.serve()
            for _ in range(ASKED):
                output = ask(process.pid)
                if all(line in map(shape, output.splitlines()) for line in wanted):
                    return
            process.kill()
        self.fail(output)

    def test_the_list_has_the_app(self):
        self.until_shown("ps", lambda process: self.tool("ps").stdout)

    def test_the_report_names_what_the_main_thread_waits_for(self):
        self.until_shown("report", lambda process: self.tool("report", process).stdout)

    def test_the_numbers_are_those_of_the_main_queue(self):
        self.until_shown("metrics", lambda process: self.tool("metrics", process).stdout)

    def test_each_line_of_the_live_view_has_the_deepest_queue(self):
        def lines(process):
            with subprocess.Popen([TOOL, "top", str(process)], text=True, stdout=subprocess.PIPE) as top:
                seen = [top.stdout.readline() for _ in range(3)]
                top.send_signal(signal.SIGINT)
            return "".join(seen)
        self.until_shown("top", lines)

    def test_the_command_is_recorded(self):
        folder, process = self.start("--out", "results", *[PHOTOS / "rocket.jpg"] * MANY)
        page, text = folder / "work.json", ""
        deadline = time.monotonic() + PATIENCE
        # In all of that time it may do no more than look for one face.
        while "GooglyPuff." not in text and process.poll() is None and time.monotonic() < deadline:
            outcome = self.tool("trace", process.pid, "-d", "2s", "-o", page)
            text = page.read_text(encoding="utf-8") if page.exists() else outcome.stderr
        self.assertIn('"program":"GooglyPuff"', text)
        self.assertRegex(text, r"GooglyPuff\.(details|detector|landmarks|photos)")


if __name__ == "__main__":
    unittest.main()
