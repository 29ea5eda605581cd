"""Rows that represent many things: queues with one label are one row and one group of lanes, which
opens; and what the recording contains beside the items: advice, drains, concurrentPerform,
groups."""
import unittest

from browser import Browser
from story_builder import MILLISECOND, StoryBuilder

MANY = 200


def server():
    """A server with a queue for each request, all with one label, and a log."""
    s = StoryBuilder("server", duration=400 * MILLISECOND)
    main, worker = s.thread("server", "main"), s.thread("sb-default-1")
    log = s.queue("com.example.server.log")
    first = None
    for request in range(MANY):
        queue = s.queue("com.example.server.request", target=log)
        at = request * 2 * MILLISECOND
        for n in range(2):
            item = s.item(queue, at, at + (n + 1) * 100_000, at + (n + 1) * 200_000, main, worker)
            first = item if first is None else first
        s.add("drains", thread=worker, queue=queue, began=at + 90_000, ended=at + 450_000)
    s.item(log, 0, MILLISECOND, 2 * MILLISECOND, main, worker)
    s.add("loops", thread=worker, iterations=64, began=110_000, ended=190_000, item=first)
    group = s.object("group", "a group", described=True)
    for n in range(3):
        s.add("turns", object=group, thread=main, at=n * MILLISECOND, entry=1)
    s.add("turns", object=group, thread=main, at=9 * MILLISECOND, entry=0)
    s.object("lock", "the canvas")
    s.object("lock", 'the NSLock "canvas"', described=True)
    s.advise("a queue used as a lock", "com.example.server.log",
             'all items of the queue "com.example.server.log" were calls of sync',
             "protect the data with a lock", ("Server.log(_: Swift.String) -> ()", 12),
             ("<script>alert(1)</script>", 1))
    return s


class Groups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def setUp(self):
        self.browser.open(server().json(), "server")
        self.assertEqual(self.browser.value("document.documentElement.dataset.state"), "complete")
        self.browser.settled()

    def rows(self):
        return self.browser.texts("#table-place tbody tr th")

    def test_queues_of_one_label_are_one_row_that_opens(self):
        rows = self.rows()
        self.assertEqual(len(rows), 2, rows)
        self.assertTrue(any(f"{MANY} × com.example.server.request" in row for row in rows), rows)
        self.browser.screenshot("groups-closed")
        self.browser.click("tr.has-parts .row-link")
        self.assertEqual(len(self.browser.all("tr.is-part")), 99)  # a page of rows
        self.assertEqual(self.browser.value(
            "document.activeElement.getAttribute('aria-expanded')"), "true")
        self.browser.screenshot("groups-open")
        self.browser.click("tr.is-part .row-link")
        self.assertEqual(self.browser.chosen()[0], "queue")
        self.browser.click("tr.has-parts .row-link")
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(self.browser.console(), [])

    def test_the_row_says_what_its_parts_say_together(self):
        cells = self.browser.value(
            "(({items, greatestDepth, waiting, running, parts}) => [items, greatestDepth,"
            " waiting.total, running.total, parts.length])"
            "(Signalbox.page.statistics().queueRows().find((row) => row.parts))")
        self.assertEqual(cells, [2 * MANY, 2, MANY * 300_000, MANY * 300_000, MANY])

    def test_lanes_of_one_label_are_a_group_that_opens(self):
        names = self.browser.texts(".lane-label.queue .lane-name")
        self.assertEqual(len(names), 1, names)
        heading = next(i for i, text in enumerate(self.browser.texts(".lane-label.heading"))
                       if "com.example.server.request" in text)
        self.browser.all(".lane-label.heading button")[heading].click()
        self.browser.until("document.querySelectorAll('.lane-label.queue').length > 3")
        self.browser.screenshot("groups-lanes")

    def test_an_item_in_a_closed_group_is_shown(self):
        self.browser.run("Signalbox.page.timeline.choose({kind: 'item', id: 0}, {show: true})")
        self.browser.until("document.querySelectorAll('.lane-label.queue').length > 3")
        self.assertEqual(self.browser.chosen(), ["item", 0])

    def test_advice_is_the_first_finding(self):
        finding = self.browser.text(".finding")
        for words in ("Advice: a queue used as a lock", "com.example.server.log", "calls of sync",
                      "Instead: protect the data with a lock.", "Server.log(_: Swift.String)",
                      "(12 samples)", "<script>alert(1)</script> (1 sample)"):
            self.assertIn(words, finding.replace("\u00a0", " "))
        self.assertEqual(self.browser.console(), [])

    def test_a_queue_says_who_drained_it(self):
        self.browser.run("Signalbox.page.timeline.choose({kind: 'queue', id: 1}, {show: true})")
        story = self.browser.text("#story-panel").replace("\n", " ")
        for words in ("Drains 1", "Longest drain 360", "Threads that drained it 1"):
            self.assertIn(words, story)

    def test_a_thread_says_its_loops_and_groups(self):
        for thread, words in ((1, ("Calls of concurrentPerform", "64 iterations in 80")),
                              (0, ("Groups that it entered or left",
                                   "a group: entered 3 times, left 1 time"))):
            self.browser.run(
                "Signalbox.page.timeline.choose({kind: 'thread', id: arguments[0]}, {show: true})", thread)
            story = self.browser.text("#story-panel").replace("\n", " ").replace("\u00a0", " ")
            for each in words:
                self.assertIn(each, story)
        self.browser.screenshot("groups-thread")

    def test_a_name_is_a_description_if_its_flag_says_so(self):
        self.assertEqual(self.browser.value("Signalbox.page.names.objects.slice(1)"),
                         ["lock “the canvas”", 'the NSLock "canvas"'])


if __name__ == "__main__":
    unittest.main()
