"""Clicks alone answer a reader's questions about a recording."""
import unittest

import scenes
from browser import Browser


def plain(text):
    return " ".join(text.replace("\u00a0", " ").split())


class Stories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def setUp(self):
        self.browser.open(scenes.photos().json())

    def story(self):
        return plain(self.browser.text("#story-panel"))

    def click_link(self, ref):
        self.browser.click(f'#story-panel [data-ref="{ref}"]')
        self.browser.settled()

    def test_the_photo_that_waited_longest_and_what_the_main_thread_did(self):
        """Two clicks: the column of the longest waits, and nothing more."""
        self.browser.click("#tab-waits")
        self.browser.click("#table-place tbody tr:first-child .row-link")
        story = self.story()
        self.assertIn("goofy.jpg", self.browser.text("#story-title"))
        self.assertIn("Waited 61 ms behind 3 items of its queue which ran meanwhile:", story)
        for other in ("overly-attached-girlfriend.jpg", "success-kid.jpg", "faces.jpg"):
            self.assertIn(other, story)
        meanwhile = plain(self.browser.text("#story-panel .meanwhile-section"))
        self.assertIn("idle 48 ms", meanwhile)
        self.assertIn("running 7 ms", meanwhile)
        self.assertIn("of com.apple.main-thread for 3 ms", meanwhile)

    def test_the_worker_that_was_blocked_and_on_what(self):
        self.browser.click("#tab-blocks")
        self.browser.click("#table-place tbody tr:first-child .row-link")
        story = self.story()
        self.assertIn("for lock “cache”", self.browser.text("#story-title"))
        self.assertIn("on worker 2", story)
        self.assertIn("Blocked 9 ms", story)
        self.assertIn("Held by worker 1", story)
        self.assertIn("Woken by worker 1", story)
        self.assertIn("What worker 1 did meanwhile", story)

    def test_a_click_on_the_stripes_tells_the_same(self):
        self.browser.click_thing("wait", 0)
        self.assertEqual(self.browser.chosen(), ["wait", 0])
        self.assertIn("Blocked 9 ms", self.story())

    def test_a_click_on_an_interval_tells_what_is_within_it(self):
        self.browser.open(scenes.intervals().json())
        self.browser.click_thing("interval", 0)
        self.assertEqual(self.browser.chosen(), ["interval", 0])
        story = self.story()
        self.assertIn("Took 50 ms from 10.000 ms", story)
        self.assertIn("Began within item 1 of photos", story)
        self.assertIn("decode: goofy.jpg, 18 ms from 12.000 ms", story)
        self.browser.click_thing("interval", 1)
        story = self.story()
        self.assertIn("All of the name decode", story)
        self.assertIn("Median 4 ms", story)
        self.assertIn("Longest 18 ms", story)

    def test_an_interval_says_which_thread_ended_it_and_what_is_not_known(self):
        self.browser.open(scenes.intervals().json())
        for number, words in ((3, "Took 15 ms from 65.000 ms; ended on worker 1."),
                              (4, "to the end of the recording: the program did not end it."),
                              (5, "Began 20.000 ms. Its end was lost.")):
            with self.subTest(number=number):
                self.browser.click_thing("interval", number)
                self.assertIn(words, self.story())

    def test_a_click_on_an_item_tells_its_life(self):
        self.browser.click_thing("item", 1)
        story = self.story()
        self.assertIn("Submitted by main thread at 2.000 ms within item 1", story)
        self.assertIn("Ran 10 ms on worker 1", story)
        self.assertIn("Finished at 13.000 ms", story)
        self.assertIn("Submitted 1 item", story)

    def test_links_lead_to_what_they_name_and_back(self):
        self.browser.click_thing("item", 1)
        self.click_link("item:0")
        self.assertEqual(self.browser.chosen(), ["item", 0])
        self.assertIn("Submitted 4 items", self.story())
        self.browser.click('#story-panel [aria-label="Back to the story before"]')
        self.assertEqual(self.browser.chosen(), ["item", 1])

    def test_the_meanwhile_of_another_thread_can_be_asked_for(self):
        self.browser.click_thing("item", 11)
        self.browser.run("const select = document.querySelector('.meanwhile-thread');"
                         "select.value = 3; select.dispatchEvent(new Event('change'));")
        self.assertIn("running", plain(self.browser.text(".meanwhile")))
        self.assertIn("overly-attached-girlfriend.jpg", self.browser.text(".meanwhile"))

    def test_a_queue_tells_its_spread(self):
        self.browser.click('[data-lane="queue:2"]')
        story = self.story()
        self.assertIn("com.example.GooglyPuff.photos", self.browser.text("#story-title"))
        self.assertIn("concurrent queue, aimed at com.apple.root.utility-qos", story)
        self.assertIn("barriers 4", story)
        self.assertIn("of these by sync 4", story)
        self.assertIn("Longest wait", story)

    def test_a_thread_tells_its_shares(self):
        self.browser.click('[data-lane="thread:2"]')
        story = self.story()
        self.assertIn("blocked 9 ms", story)
        self.assertIn("running 25 ms", story)

    def test_a_timer_tells_how_late_it_was(self):
        self.browser.click_thing("timer", 0)
        self.assertEqual(self.browser.chosen(), ["timer", 0])
        self.assertIn("7 ms late", self.story())

    def test_a_pass_tells_the_span_from_the_observer_to_the_work(self):
        self.browser.click_thing("pass", 3)
        self.assertEqual(self.browser.chosen(), ["pass", 3])
        self.assertIn("main queue +500 µs", plain(self.browser.text(".step-span")))

    def test_the_summary_leads_to_the_longest(self):
        row = "#table-place tbody tr:first-child "
        self.assertIn("faces", self.browser.text(row + ".row-link"))
        self.browser.click(row + '[data-column="waitMax"]')
        self.assertEqual(self.browser.chosen(), ["item", 11])
        self.browser.click(row + '[data-column="runMax"]')
        self.assertEqual(self.browser.chosen(), ["item", 14])
        self.browser.click(row + ".row-link")
        self.assertEqual(self.browser.chosen(), ["queue", 3])

    def test_the_summary_sorts_by_any_column(self):
        def column(name):
            return self.browser.texts(f'#table-place tbody [data-column="{name}"]')
        self.browser.click('#table-place thead [data-column="items"]')
        self.assertEqual(column("items"), ["8", "6", "4", "4"])
        self.browser.click('#table-place thead [data-column="items"]')
        self.assertEqual(column("items"), ["4", "4", "6", "8"])
        self.browser.click('#table-place thead [data-column="queue"]')
        self.assertEqual(column("queue"), sorted(column("queue")))
        heading = self.browser.find('#table-place th[aria-sort]')
        self.assertEqual(heading.get_attribute("aria-sort"), "ascending")

    def test_an_item_that_runs_an_operation_has_its_name(self):
        self.browser.open(scenes.operations().json())
        self.browser.click_thing("item", 1)
        self.assertIn("operation “unpack”", self.browser.text("#story-title"))
        self.assertIn("Runs operation “unpack”, which came into its queue at 1.000 ms, "
                      "was ready 5 ms later.", self.story())
        self.browser.click_thing("item", 0)
        self.assertIn("which came into its queue at 1.000 ms and was ready at once.", self.story())
        # The program's own mark is closer.
        self.browser.click_thing("item", 2)
        self.assertIn("invoice", self.browser.text("#story-title"))
        self.assertIn("Runs operation “print”", self.story())

    def test_operations_are_found_by_their_names(self):
        self.browser.open(scenes.operations().json())
        self.browser.find("#search").send_keys("unpa")
        self.browser.until("document.getElementById('search-count').textContent !== ''")
        self.assertEqual(plain(self.browser.text("#search-count")), "1 found")

    def test_the_glance_leads_on(self):
        self.assertIn("goofy.jpg", self.story())
        self.click_link("item:11")
        self.assertEqual(self.browser.chosen(), ["item", 11])


if __name__ == "__main__":
    unittest.main()
