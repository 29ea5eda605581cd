"""Real runs of the documents' figures in the page: the span from an observer's call to the work in
a pass of a run loop, and context switches."""
import pathlib
import re
import tempfile
import unittest

from browser import OUT, Browser
from queue_pictures import draw
from recording import WORKS, Recording, is_about
from test_googlypuff import plain

SCENES = ("run-loop", "concurrency", "sync-8", "barrier", "lock-held", "livelock")


class QueuePictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()
        cls.folder = tempfile.TemporaryDirectory(prefix="signalbox-pictures-")
        cls.place = pathlib.Path(cls.folder.name)
        draw(cls.place, SCENES)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def open(self, scene):
        self.browser.visit(self.place / f"{scene}.html")
        self.browser.until("document.documentElement.dataset.state === 'complete'")
        return Recording(self.place / f"{scene}.json")

    def click(self, kind, number):
        """However small it is compared with the whole."""
        self.browser.run("Signalbox.page.timeline.show({kind: arguments[0], id: arguments[1]}, "
                         "{fill: true})", kind, number)
        self.browser.click_thing(kind, number)

    def story(self):
        return plain(self.browser.text("#story-panel"))

    def test_a_pass_shows_the_span_from_an_observers_call_to_the_work(self):
        recording = self.open("run-loop")
        passes = recording.rows("passes", "began")
        found = []
        for run_pass in passes:
            self.click("pass", run_pass["id"])
            self.assertEqual(self.browser.chosen(), ["pass", run_pass["id"]])
            shown = [plain(each) for each in self.browser.texts(".pass-steps .step-span")]
            spans = recording.spans(run_pass)
            self.assertEqual(len(shown), len(spans), (shown, spans))
            for text, (step, time) in zip(shown, spans):
                name, _, length = text.partition("+")
                self.assertEqual(name.strip(), WORKS[step])
                self.assertTrue(is_about(length, time), (text, time))
                found.append(WORKS[step])
        self.assertEqual(found, ["source", "timer"])

    def test_the_longest_span_is_told_at_a_glance(self):
        recording = self.open("run-loop")
        longest = max((time, step) for each in recording.rows("passes", "began")
                      for step, time in recording.spans(each))
        told = re.search(r"From an observer’s call to the work \((.*?)\) it was (.*?) in a pass",
                         self.story())
        self.assertEqual(told[1], WORKS[longest[1]])
        self.assertTrue(is_about(told[2], longest[0]), (told[0], longest))

    def test_context_switches_are_counted_by_thread_and_by_item(self):
        recording = self.open("concurrency")
        self.browser.click("#tab-threads")
        rows = self.browser.value(
            "[...document.querySelectorAll('#table-place tbody tr')].map((row) => "
            "['thread', 'switches', 'preempted'].map((each) => "
            "row.querySelector(`[data-column=\"${each}\"]`).textContent))")
        counted = {row[0]: [0 if each == "·" else int(each.replace(",", "")) for each in row[1:]]
                   for row in rows}
        for number in range(len(recording.threads)):
            items = [item for item in recording.items if item["runner"] == number]
            sums = [sum(item[each] for item in items) for each in ("switches", "preempted")]
            self.assertEqual(counted[recording.thread(number)], sums)
        for name in ("A", "B"):
            item = next(each for each in recording.items if recording.name(each) == name)
            # On one processor the other thread ran between the turns of this one.
            self.assertGreaterEqual(item["switches"] + item["preempted"], 3)
            self.click("item", item["id"])
            told = re.search(
                r"([\d,]+) context switch(?:es)? by its own waiting, preempted ([\d,]+) time",
                self.story())
            self.assertEqual([int(each.replace(",", "")) for each in told.groups()],
                             [item["switches"], item["preempted"]])

    def test_the_block_of_sync_tells_what_it_waited_behind(self):
        recording = self.open("sync-8")
        block = next(each for each in recording.items if recording.name(each) == "First Log")
        self.click("item", block["id"])
        story = self.story()
        self.assertIn("Called by main thread", story)
        self.assertIn("behind 3 items of its queue which ran meanwhile", story)
        for name in ("task A", "task B", "task C"):
            self.assertIn(name, story)
        self.assertTrue(is_about(re.search(r"Waited (.*?) behind", story)[1], block["waited"]))

    def test_b_leads_to_the_lock_and_to_who_holds_it(self):
        # As in the article about profiling.
        self.open("lock-held")
        self.browser.press("b")
        story = self.story()
        self.assertIn('for the NSLock "catalogue" on main thread', story)
        self.assertIn("within draw of com.apple.main-thread", story)
        holder = re.search(r"Held by (sb-default-\d+)\.", story)[1]
        self.assertIn(f"What {holder} did meanwhile", story)
        self.assertIn("import of import", story)

    def test_the_page_of_a_recording_that_began_late_opens_without_a_notice(self):
        # The workers of these programs exist when the recording begins.
        for scene in SCENES:
            self.open(scene)
            self.assertEqual(self.browser.texts("#notices p"), [], scene)
            self.assertFalse(self.browser.find("#notices").is_displayed(), scene)

    def test_a_livelock_shows_two_threads_that_never_wait(self):
        # As in the article about livelocks.
        recording = self.open("livelock")
        for name, lock in (("Ada", "knife"), ("Grace", "fork")):
            item = next(each for each in recording.items if recording.name(each) == name)
            marks = [each for each in recording.rows("marks", "at")
                     if each["thread"] == item["runner"]]
            words = [recording.strings[each["text"]] for each in marks]
            self.assertEqual(words, [name] + [
                f"{name} {does}, {number}" for number in (1, 2, 3, 4)
                for does in (f"has the {lock}", "makes way")])
            for wait in recording.waits:
                if wait["thread"] == item["runner"] and wait["began"] < item["stop"]:
                    self.assertLessEqual(wait["stop"], marks[1]["at"])
            self.click("item", item["id"])
            self.assertRegex(self.story(), rf"Item {name} of table")
            self.assertRegex(self.story(), r"Ran .* on sb-default-\d+ from")

    def test_pictures(self):
        for scene in SCENES:
            self.open(scene)
            for theme in ("light", "dark"):
                if self.browser.value("document.documentElement.dataset.theme") != theme:
                    self.browser.click("#theme")
                self.browser.screenshot(f"queue-{scene}-{theme}")
                self.assertGreater((OUT / f"queue-{scene}-{theme}.png").stat().st_size, 20_000)


if __name__ == "__main__":
    unittest.main()
