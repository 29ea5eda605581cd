"""A real run of GooglyPuff: clicks on the timeline beside its gallery answer which photo waited
longest, what the main thread did at that time, and which worker was blocked on what. The recording
itself gives the right answers."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from browser import OUT, PATIENCE, ROOT, Browser
from recording import Recording, is_about, nanoseconds

PACKAGE = ROOT / "Examples/GooglyPuff"
PROGRAM = PACKAGE / ".build/release/GooglyPuff"
PHOTOS = sorted(each for each in (PACKAGE / "Photos").iterdir() if each.suffix in (".jpg", ".png"))
# If the detector existed before any worker needed it, the run shows no blocked worker.
RUNS = 5


def plain(text):
    return " ".join(text.replace("\u00a0", " ").split())


def run(folder):
    """The page and the recording of one run; the page is written slightly earlier."""
    trace = folder / "run.sbtrace"
    result = subprocess.run(
        [PROGRAM, "--out", folder / "out", "--timeline", folder / "out/timeline.html", *PHOTOS],
        env={**os.environ, "SIGNALBOX_TRACE": str(trace)}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=10 * PATIENCE, check=True)
    page = folder / "out/timeline.html"
    story = re.search(r'<script id="story"[^>]*>(.*?)</script>', page.read_text("utf-8"), re.S)[1]
    return result.stdout, page, Recording(trace, until=json.loads(story)["meta"]["duration"])


class GooglyPuff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()
        cls.folder = tempfile.TemporaryDirectory(prefix="signalbox-googlypuff-")
        for number in range(RUNS):
            folder = pathlib.Path(cls.folder.name, str(number))
            folder.mkdir()
            cls.output, cls.page, cls.recording = run(folder)
            if cls.recording.blocked_workers():
                break

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.browser.visit(self.page)

    def story(self):
        return plain(self.browser.text("#story-panel"))

    def column(self, name):
        return [plain(each) for each in
                self.browser.texts(f'#table-place tbody [data-column="{name}"]')]

    def click_row(self, number):
        self.browser.click(f"#table-place tbody tr:nth-child({number + 1}) .row-link")
        self.browser.settled()

    def pictures(self, name):
        for theme in ("light", "dark"):
            if self.browser.value("document.documentElement.dataset.theme") != theme:
                self.browser.click("#theme")
            self.browser.screenshot(f"googlypuff-{name}-{theme}")
            self.assertGreater((OUT / f"googlypuff-{name}-{theme}.png").stat().st_size, 20_000)

    def longest(self):
        photos = {each.name for each in PHOTOS}
        found = [item for item in self.recording.items if self.recording.name(item) in photos]
        self.assertEqual({self.recording.name(item) for item in found}, photos)
        return max(found, key=lambda item: item["waited"])

    def click_longest(self):
        photos = {each.name for each in PHOTOS}
        self.browser.click("#tab-waits")
        self.click_row(next(i for i, name in enumerate(self.column("item")) if name in photos))

    def test_the_gallery_leads_to_the_timeline(self):
        self.assertIn(f"timeline of the run · {self.page}", self.output)
        gallery = self.page.with_name("index.html")
        self.browser.driver.get(gallery.as_uri())
        self.browser.click("footer a")
        self.browser.until("document.documentElement.dataset.state === 'complete'")
        self.assertEqual(self.browser.value("location.pathname").split("/")[-1], "timeline.html")
        self.assertEqual(self.browser.text("#program"), "GooglyPuff")

    def test_which_photo_waited_longest(self):
        """Two clicks: the tab of the longest waits, and its first photo."""
        item = self.longest()
        self.click_longest()
        waited = [nanoseconds(each) for each in self.column("waited")]
        self.assertEqual(waited, sorted(waited, reverse=True))
        self.assertEqual(self.browser.chosen(), ["item", item["id"]])
        self.assertEqual(self.browser.text("#story-title"), self.recording.name(item))
        self.assertIn(f"Submitted by {self.recording.thread(item['submitter'])}", self.story())
        told = re.search(r"Waited (.*?)[;.] ", self.story())[1]
        self.assertTrue(is_about(told, item["waited"]), (told, item))
        self.pictures("waited")

    def test_what_the_main_thread_did_meanwhile(self):
        """The same two clicks: the answer is below the photo's own story."""
        item = self.longest()
        did = self.recording.activity(self.recording.main, item["submitted"], item["start"])
        self.click_longest()
        self.assertEqual(self.browser.value(
            "document.querySelector('.meanwhile-thread').selectedOptions[0].text"), "main thread")
        shares = [plain(each) for each in self.browser.texts(".meanwhile .share-words li")]
        for words in ("running", "blocked", "idle"):
            told = next((each for each in shares if each.startswith(words)), None)
            self.assertEqual(told is not None, did[words] > 0, (words, shares, did))
            if told:
                self.assertTrue(is_about(told, did[words]), (told, did[words]))
        known = {f"item:{each['id']}": self.recording.name(each) for each in did["items"]}
        links = self.browser.value(
            "[...document.querySelectorAll('.meanwhile [data-ref^=\"item:\"]')]"
            ".filter((each) => each === each.closest('li').firstElementChild)"
            ".map((each) => [each.dataset.ref, each.textContent])")
        self.assertGreater(len(links), 0)
        for ref, text in links:
            self.assertEqual(known[ref], text)
        more = re.search(r"and ([\d,]+) more", plain(self.browser.text(".meanwhile")))
        lines = len(self.browser.texts(".meanwhile .entries li")) - bool(more)
        self.assertEqual(lines + (int(more[1].replace(",", "")) if more else 0), did["entries"])
        self.browser.run("document.querySelector('.meanwhile-section').scrollIntoView()")
        self.pictures("meanwhile")

    def test_which_worker_was_blocked_on_what(self):
        """Two clicks: the tab of blocked threads, and the first row of a worker."""
        blocked = self.recording.blocked_workers()
        if os.cpu_count() > 1:
            self.assertGreater(len(blocked), 0, f"in {RUNS} runs no worker was blocked")
        self.browser.click("#tab-blocks")
        workers = {self.recording.thread(i) for i, each in enumerate(self.recording.threads)
                   if each["role"] == "worker"}
        rows = [i for i, name in enumerate(self.column("thread")) if name in workers]
        self.assertEqual(len(rows), len(blocked))
        if not rows:
            return
        wait = blocked[0]
        self.click_row(rows[0])
        self.assertEqual(self.browser.chosen(), ["wait", wait["id"]])
        self.assertEqual(self.browser.text("#story-title"), self.recording.wait_words(wait))
        story = self.story()
        self.assertIn(f"on {self.recording.thread(wait['thread'])}", story)
        self.assertTrue(is_about(re.search(r"Blocked (.*?) from", story)[1], wait["time"]), story)
        within = next(item for item in self.recording.items if item["id"] == wait["item"])
        self.assertIn(f"within {self.recording.name(within)} of", story)
        for words, thread in (("Held by", wait["owner"]), ("Woken by", wait["waker"])):
            if thread >= 0:
                self.assertIn(f"{words} {self.recording.thread(thread)}", story)
        self.pictures("blocked")


if __name__ == "__main__":
    unittest.main()
