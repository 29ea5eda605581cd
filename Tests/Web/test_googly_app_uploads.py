"""How photos reach GooglyPuff's page: the picker, drag and drop, paste; progress and refusals."""
import unittest

from googly_page import GooglyPageTest
from googly_pictures import gradient

STATES = "[...document.querySelectorAll('.upload')].map((each) => each.dataset.kind)"


class Uploads(GooglyPageTest):
    def names(self):
        # Copied at once: the server's threads add photos.
        return [photo["name"] for photo in list(self.mock.photos.values())]

    def until_states(self, *states):
        self.until(f"JSON.stringify({STATES}) === JSON.stringify(arguments[0])", list(states))

    def test_several_files_from_the_picker(self):
        self.open()
        self.pick(self.file("one.png", gradient(1)), self.file("two.png", gradient(2)))
        self.until("document.querySelectorAll('.card').length === 2")
        self.assertEqual(sorted(self.names()), ["one.png", "two.png"])
        self.until("document.getElementById('tray-title').textContent === '2 photos added'")
        self.assertEqual(self.browser.text("#announcer"), "2 photos added")
        self.browser.click(".upload-state button:not([hidden])")
        self.until("document.getElementById('detail').open")

    def test_drag_and_drop(self):
        self.open()
        self.assertTrue(self.bring("dragenter", "a.png", gradient(1)))
        self.assertIn("JPEG or PNG, up to 33.6 MB and 64 megapixels", self.browser.text("#overlay"))
        self.bring("dragleave", "a.png", gradient(1))
        self.assertFalse(self.browser.find("#overlay").is_displayed())
        self.bring("dragenter", "a.png", gradient(1))
        self.assertTrue(self.bring("drop", "dropped.png", gradient(1)))
        self.assertFalse(self.browser.find("#overlay").is_displayed())
        self.until("document.querySelectorAll('.card').length === 1")
        self.assertEqual(self.names(), ["dropped.png"])

    def test_paste(self):
        self.open()
        self.bring("paste", "pasted.png", gradient(1))
        self.until("document.querySelectorAll('.card').length === 1")
        self.assertEqual(self.names(), ["pasted.png"])

    def test_a_few_at_once_with_progress_for_each(self):
        self.open()
        self.mock.passes.clear()
        self.pick(*(self.file(f"{each}.png", gradient(each)) for each in range(5)))
        self.until_states("sending", "sending", "sending", "waiting", "waiting")
        self.assertEqual(self.browser.text("#tray-title"), "Uploading 1 of 5")
        self.assertEqual(self.browser.value("document.querySelectorAll('.upload progress[aria-label]').length"), 5)
        self.mock.passes.set()
        self.until("document.querySelectorAll('.card').length === 5")
        self.until_states("done", "done", "done", "done", "done")
        self.let_time_pass()
        self.until_states()
        self.assertFalse(self.browser.find("#tray").is_displayed())

    def test_what_cannot_be_taken_is_not_sent(self):
        self.mock.limits = {**self.mock.limits, "uploadBytes": 5_000}
        self.open()
        self.pick(self.file("text.png", b"no photo at all"), self.file("empty.png", b""),
                  self.file("large.png", gradient(1)[:8] + bytes(6_000)))
        self.until_states("failed", "failed", "failed")
        words = self.browser.texts(".upload .word")
        self.assertEqual(words, ["Not a JPEG or PNG photo", "The file is empty",
                                 "6 kB are too many: the limit is 5 kB"])
        self.assertNotIn(("POST", "/photos"), self.mock.requests)
        self.assertEqual(self.browser.text("#announcer"), "0 photos added, 3 failed")
        self.browser.click(".upload .icon")
        self.until_states("failed", "failed")
        self.browser.click("#tray-clear")
        self.until_states()

    def test_a_full_gallery_takes_no_more(self):
        self.mock.limits = {**self.mock.limits, "photos": 1}
        self.add("one.png")
        self.open()
        self.pick(self.file("two.png", gradient(2)))
        self.until_states("failed")
        self.assertIn("room for 1 photo", self.browser.texts(".upload .word")[0])

    def test_what_is_on_its_way_can_be_broken_off(self):
        self.open()
        self.mock.passes.clear()
        self.pick(self.file("one.png", gradient(1)))
        self.until_states("sending")
        self.browser.click(".upload .icon")
        self.until_states()
        self.mock.passes.set()
        self.pick(self.file("two.png", gradient(2)))
        self.until_states("done")
        self.assertIn("two.png", self.names())

    def test_names_arrive_as_labels_the_server_takes(self):
        self.open()
        for name in ("日本 & <b>.png", "a" * 300 + ".png", "line\nbreak.png"):
            self.bring("drop", name, gradient(1))
        self.until("document.querySelectorAll('.card').length === 3")
        names = sorted(self.names(), key=len)
        self.assertEqual(names[:2], ["日本 & <b>.png", "linebreak.png"])
        self.assertTrue(names[2].startswith("aaa") and len(names[2].encode()) <= 255)


class RefusedUploads(GooglyPageTest):
    provoked = ("Failed to load resource",)

    def test_the_servers_sentence_is_shown_and_can_be_dismissed(self):
        self.mock.refusals["POST", "/photos"] = (415, "A JPEG photo whose header is damaged")
        self.open()
        self.pick(self.file("one.png", gradient(1)))
        self.until("document.querySelector('.upload .word')?.textContent.includes('header is damaged')")
        self.assertFalse(self.browser.find(".upload-state button").is_displayed())
        self.browser.click(".upload .icon")
        self.until("document.getElementById('tray').hidden")

    def test_a_full_server_can_be_tried_again(self):
        self.mock.refusals["POST", "/photos"] = (507, "There is no room")
        self.open()
        self.pick(self.file("one.png", gradient(1)))
        self.until("document.querySelector('.upload .word')?.textContent === 'There is no room'")
        self.mock.refusals.clear()
        self.browser.click(".upload-state button")
        self.until("document.querySelectorAll('.card').length === 1")


if __name__ == "__main__":
    unittest.main()
