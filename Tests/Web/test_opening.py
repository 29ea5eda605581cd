"""The page opens from disk and shows its contents, however few or many."""
import unittest

import scenes
from browser import Browser


class Opening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def open(self, scene):
        self.browser.open(scene.json())
        self.assertEqual(self.browser.value("document.documentElement.dataset.state"), "complete")
        self.browser.settled()

    def test_the_head_says_what_was_recorded(self):
        self.open(scenes.photos())
        self.assertEqual(self.browser.text("#program"), "GooglyPuff")
        for fact in ("process 4242", "2026-11-22 18:00:00 UTC", "120 ms", "22 items", "end"):
            self.assertIn(fact, self.browser.text("#facts").replace("\u00a0", " "))
        self.assertEqual(self.browser.console(), [])

    def test_its_icon_stands_in_it(self):
        """The page does not ask its server for an icon."""
        self.open(scenes.photos())
        self.assertEqual(self.browser.driver.execute_async_script(
            "const done = arguments[0], image = new Image();"
            "image.onload = () => done([image.naturalWidth, image.naturalHeight]);"
            "image.onerror = () => done('refused');"
            "image.src = document.querySelector('link[rel=icon]').href"), [150, 150])
        self.assertEqual(self.browser.console(), [])

    def test_queues_and_threads_have_lanes_in_groups(self):
        self.open(scenes.photos())
        lanes = self.browser.texts(".lane-label .lane-name")
        self.assertEqual(lanes[0], "com.apple.main-thread")
        self.assertIn("com.example.GooglyPuff.faces", lanes)
        self.assertIn("worker 3", lanes)
        headings = self.browser.texts(".lane-label.heading")
        self.assertTrue(any("Queues without items" in each for each in headings), headings)

    def test_a_group_closes_and_opens(self):
        self.open(scenes.photos())
        self.browser.click(".lane-label.heading button")
        self.browser.until("![...document.querySelectorAll('.lane-label.queue')].length")
        self.browser.click(".lane-label.heading button")
        self.browser.until("[...document.querySelectorAll('.lane-label.queue')].length === 4")

    def test_nothing_recorded_is_said(self):
        self.open(scenes.empty())
        self.assertIn("Nothing was recorded", self.browser.text("#empty"))
        self.assertIn("Nothing was recorded", self.browser.text("#story-panel"))
        self.assertEqual(self.browser.console(), [])

    def test_lost_events_are_said_and_drawn(self):
        self.open(scenes.lost())
        self.assertIn("1,234 events were lost", self.browser.text("#notices"))
        self.assertIn("a thread's clock went back", self.browser.text("#notices"))
        self.browser.click_thing("gap", 0)
        self.assertEqual(self.browser.chosen(), ["gap", 0])
        self.assertIn("1,234 events lost", self.browser.text("#story-panel"))

    def test_three_hundred_nanoseconds_fill_the_view(self):
        self.open(scenes.instant())
        self.assertIn("300 ns", self.browser.text("#facts").replace("\u00a0", " "))
        self.browser.click_thing("item", 0)
        story = self.browser.text("#story-panel").replace("\u00a0", " ")
        self.assertIn("Waited 110 ns", story)
        self.assertIn("Ran 60 ns", story)

    def test_three_days_fit(self):
        self.open(scenes.days())
        self.assertIn("72 h", self.browser.text("#facts").replace("\u00a0", " "))
        self.browser.press("w")
        self.browser.press("z")
        self.browser.settled()
        self.assertLess(self.browser.view()[1], 200e9)
        self.assertEqual(self.browser.console(), [])

    def test_of_thousands_of_lanes_only_those_in_view_are_elements(self):
        self.open(scenes.many_queues())
        self.assertLess(len(self.browser.all(".lane-label")), 80)
        self.browser.run("document.getElementById('lanes-scroll').scrollTop = 100000")
        self.browser.until("[...document.querySelectorAll('.lane-label')].some((each) => "
                           "each.offsetTop > 100000)")
        self.assertLess(len(self.browser.all(".lane-label")), 80)
        self.assertLess(self.browser.value("document.querySelectorAll('*').length"), 4000)

    def test_every_form_of_item_can_be_clicked_and_is_named(self):
        self.open(scenes.forms())
        words = ["async", "barrier async", "asyncAfter", "handler", "job of a task", "sync"]
        for number, form in enumerate(words):
            self.browser.click_thing("item", number)
            self.assertEqual(self.browser.chosen(), ["item", number])
            self.assertIn(form, self.browser.text("#story-panel .tags"))

    def test_what_never_started_or_never_ended_is_said(self):
        self.open(scenes.forms())
        self.browser.click_thing("item", 6)
        self.assertIn("Was never started", self.browser.text("#story-panel"))
        self.browser.click_thing("item", 7)
        self.assertIn("still running when the recording ended", self.browser.text("#story-panel"))
        self.assertIn("submission was not recorded", self.browser.text("#story-panel"))


if __name__ == "__main__":
    unittest.main()
