"""GooglyPuff's page and its server: Le Internet, notices, the end of the program and its return."""
import unittest

from googly_mock import GooglyMock
from googly_page import GooglyPageTest


class Internet(GooglyPageTest):
    def test_without_addresses_it_cannot_be_asked_for(self):
        self.open()
        self.assertFalse(self.browser.find("#internet").is_enabled())
        self.assertIn("--internet", self.browser.find("#internet").get_attribute("title"))

    def test_progress_and_a_notice_when_all_have_come(self):
        self.mock.internet = True
        self.open()
        self.browser.press("i")
        self.until_asked("POST", "/internet")
        self.until("document.getElementById('downloads-text').textContent === 'Le Internet: 0 of 3 done'")
        self.assertFalse(self.browser.find("#internet").is_enabled())
        self.mock.change(downloads={"outstanding": 1, "total": 3})
        self.until("document.getElementById('downloads-bar').value === 2")
        self.mock.change(downloads=None, notice={"id": 7, "text": "2 photos came, 1 failed"})
        self.until("document.querySelector('.toast')?.textContent.includes('2 photos came, 1 failed')")
        self.assertFalse(self.browser.find("#downloads").is_displayed())
        self.assertEqual(self.browser.find("#toasts").get_attribute("aria-live"), "polite")
        self.browser.click(".toast .icon")
        self.until_asked("POST", "/notice/7/seen")
        self.assertTrue(self.browser.find("#internet").is_enabled())

    def test_of_an_address_the_last_part_is_shown(self):
        self.add("http://127.0.0.1:8000/photos/cat.png?large=1", "a/b.png", kind="address")
        self.open()
        self.assertEqual(self.browser.texts(".card-name"), ["cat.png", "a/b.png"])

    def test_a_notice_seen_elsewhere_goes(self):
        self.mock.change(notice={"id": 1, "text": "one"})
        self.open()
        self.until("document.querySelectorAll('.toast').length === 1")
        self.mock.change(notice={"id": 2, "text": "two"})
        self.until("document.querySelector('.toast')?.textContent === 'two'")
        self.mock.change(notice=None)
        self.until("!document.querySelector('.toast')")
        self.assertNotIn(("POST", "/notice/1/seen"), self.mock.requests)


class Connection(GooglyPageTest):
    provoked = ("Failed to load resource", "ERR_")

    def test_the_end_is_said_and_the_return_is_noticed(self):
        one, = self.add("one.png")
        self.open()
        port = self.mock.port
        self.mock.stop()
        self.until("!document.getElementById('connection').hidden")
        self.assertIn("GooglyPuff has ended", self.browser.text("#connection-text"))
        self.assertEqual(self.browser.find("#connection").get_attribute("role"), "alert")
        self.until_shown(one)
        # Another run, which counts from the beginning.
        self.mock = GooglyMock().start(port)
        self.addCleanup(self.mock.stop)
        first, second = self.add("other.png", "another.png")
        self.browser.run("document.getElementById('connection-now').click()")
        self.until_shown(first, second)
        self.assertFalse(self.browser.find("#connection").is_displayed())
        self.assertEqual(self.browser.texts(".card-name"), ["other.png", "another.png"])
        self.assertIn("answers again", self.browser.text("#announcer"))

    def test_it_comes_back_by_itself(self):
        self.open()
        port = self.mock.port
        self.mock.stop()
        self.until("!document.getElementById('connection').hidden")
        self.mock = GooglyMock().start(port)
        self.addCleanup(self.mock.stop)
        self.until("document.getElementById('connection').hidden")

    def test_a_refusal_is_shown_in_the_servers_words(self):
        self.open()
        self.mock.refusals["GET", "/state"] = (503, "Too many pages are open")
        self.mock.add("one.png")
        self.until("document.getElementById('connection-text').textContent === 'Too many pages are open'")
        self.mock.refusals.clear()
        self.until("document.getElementById('connection').hidden")


if __name__ == "__main__":
    unittest.main()
