"""The gallery of GooglyPuff's page: states, names, keyboard navigation, removal."""
import unittest

from googly_mock import PROMPT
from googly_page import GooglyPageTest, Keys


class Gallery(GooglyPageTest):
    def test_each_state_has_a_word_and_a_shape(self):
        expected = {}
        for fields, word, shape in (
                ({}, "Ready", "ready"), ({"work": "waiting"}, "Waiting", "waiting"),
                ({"work": "running"}, "Drawing eyes", "running"),
                ({"work": "done", "faces": 2}, "2 faces", "done"),
                ({"work": "done", "faces": 0}, "No face", "faceless"),
                ({"work": "failed", "error": "the file is damaged"}, "Failed", "failed"),
                ({"status": "downloading", "received": 25, "expected": 100}, "25 %", "downloading"),
                ({"status": "downloading", "received": 2500}, "3 kB", "downloading"),
                ({"status": "failed", "error": "not found"}, "Failed", "failed")):
            expected[self.mock.add(f"{word}.png", **fields)] = (word, f"#shape-{shape}")
        self.open()
        for number, (word, shape) in expected.items():
            with self.subTest(word=word):
                self.assertEqual(self.status(number), word)
                self.assertEqual(self.browser.value(
                    "document.querySelector(arguments[0]).getAttribute('href')",
                    f"{self.card(number)} use"), shape)
        self.assertEqual(self.browser.text("#summary"), "9 photos, 2 faces googlyified, 2 failed")

    def test_only_what_changed_is_written_to_the_document(self):
        one, two = self.add("one.png", "two.png")
        self.open()
        self.browser.run(
            "window.written = new Set(); new MutationObserver((all) => { for (const each of all) "
            "written.add(Number((each.target.closest ? each.target : each.target.parentElement)"
            ".closest('.card')?.dataset.id ?? 0)) })"
            ".observe(document.getElementById('gallery'), {subtree: true, childList: true, "
            "characterData: true, attributes: true})")
        self.mock.update(two, work="running")
        self.until_status(two, "Drawing eyes")
        self.assertEqual(self.browser.value("[...written]"), [two])
        self.assertNotEqual(one, two)

    def test_downloads_show_how_far_they_are(self):
        number = self.mock.add("far.jpg", kind="address", status="downloading", received=10,
                               expected=100)
        self.open()
        bar = f"document.querySelector('{self.card(number)} progress')"
        self.assertAlmostEqual(self.browser.value(f"{bar}.value"), 0.1)
        self.assertIn("far.jpg", self.browser.value(f"{bar}.getAttribute('aria-label')"))
        self.mock.update(number, received=60)
        self.until_status(number, "60 %")
        self.mock.arrive(number)
        self.until_status(number, "Ready")
        self.assertIsNone(self.browser.value(bar))
        self.until("document.querySelector(arguments[0]).naturalWidth > 0", f"{self.card(number)} img")

    def test_arrows_and_ends_walk_through_the_grid(self):
        numbers = self.add(*(f"{each}.png" for each in range(40)))
        self.open()
        columns = self.browser.value("getComputedStyle(document.getElementById('gallery'))"
                                     ".gridTemplateColumns.split(' ').length")
        self.assertGreater(columns, 2)
        self.browser.press(Keys.ARROW_DOWN)
        self.assertEqual(self.focused(), numbers[0])
        for key, place in ((Keys.ARROW_RIGHT, 1), (Keys.ARROW_DOWN, 1 + columns),
                           (Keys.ARROW_LEFT, columns), (Keys.ARROW_UP, 0), (Keys.ARROW_LEFT, 0),
                           (Keys.END, 39), (Keys.ARROW_RIGHT, 39), (Keys.HOME, 0)):
            self.browser.press(key)
            self.assertEqual(self.focused(), numbers[place], (key, place))
        self.browser.press(Keys.PAGE_DOWN)
        self.assertGreater(self.focused(), numbers[columns])
        self.assertEqual(self.browser.value("document.querySelectorAll('.card-link[tabindex=\"0\"]').length"), 1)
        top, bottom, bar, foot = self.browser.value(
            "[document.activeElement.getBoundingClientRect().top, document.activeElement"
            ".getBoundingClientRect().bottom, document.getElementById('bar').getBoundingClientRect()"
            ".bottom, document.getElementById('foot').getBoundingClientRect().top]")
        self.assertTrue(bar <= top and bottom <= foot, (bar, top, bottom, foot))

    def test_many_photos_are_all_there_in_order(self):
        numbers = self.add(*(f"{each}.png" for each in range(400)))
        self.open()
        self.browser.press(Keys.HOME, Keys.END)
        self.assertEqual(self.focused(), numbers[-1])
        self.assertEqual(self.shown(), numbers)

    def test_a_removed_photo_comes_back_with_undo(self):
        one, two, three = self.add("one.png", "two.png", "three.png")
        self.open()
        self.browser.press(Keys.HOME, Keys.ARROW_RIGHT)
        self.assertEqual(self.focused(), two)
        self.browser.press(Keys.DELETE)
        self.until_shown(one, three)
        self.assertEqual(self.focused(), three)
        self.assertIn("two.png removed", self.browser.text("#toasts"))
        self.browser.click(".toast button:not(.icon)")
        self.until_shown(one, two, three)
        self.assertEqual(self.focused(), two)
        self.assertNotIn(("DELETE", f"/photos/{two}"), self.mock.requests)

    def test_a_removed_photo_is_deleted_when_the_notice_goes(self):
        one, two = self.add("one.png", "two.png")
        self.open()
        self.until_thumbnail(one)
        self.browser.run("document.querySelector('.card-remove').click()")
        self.until_shown(two)
        self.browser.click(".toast .icon")
        self.until_asked("DELETE", f"/photos/{one}")
        self.until_kept(two)

    def test_a_removed_photo_is_deleted_after_some_seconds(self):
        one, two = self.add("one.png", "two.png")
        self.open()
        self.until_thumbnail(one)
        self.browser.press(Keys.HOME, Keys.DELETE)
        self.until_shown(two)
        # While the notice has the focus, its time stands still.
        self.browser.run("document.querySelector('.toast button').focus()")
        self.let_time_pass()
        self.assertEqual(len(self.browser.all(".toast")), 1)
        self.browser.run("document.activeElement.blur()")
        self.let_time_pass()
        self.until_asked("DELETE", f"/photos/{one}")
        self.assertEqual(len(self.browser.all(".toast")), 0)

    def test_a_removed_photo_is_deleted_when_the_page_is_left(self):
        one, _ = self.add("one.png", "two.png")
        self.open()
        self.browser.press(Keys.HOME, Keys.DELETE)
        self.until("document.querySelectorAll('.card').length === 1")
        self.browser.driver.get("about:blank")
        self.until_asked("DELETE", f"/photos/{one}")

    def test_the_prompt_is_the_servers(self):
        self.open()
        self.assertEqual(self.browser.text("#prompt"), "")
        self.mock.change(prompt=PROMPT)
        self.until("document.querySelector('.prompt-text')?.textContent === arguments[0]", PROMPT)
        self.assertEqual(self.browser.find("#prompt").get_attribute("role"), "status")
        self.mock.add("first.png")
        self.until("!document.querySelector('.prompt-text')")

    def test_the_timeline_is_one_click_away(self):
        self.open()
        self.browser.click("#timeline")
        page = self.browser.other_window()
        self.until("document.title === 'Timeline'")
        self.browser.driver.close()
        self.browser.driver.switch_to.window(page)

    def test_the_main_queues_answers_are_shown(self):
        self.mock.change(answers={"p50": 0.04, "p99": 2.5, "max": 11.7, "samples": 1200})
        self.open()
        self.assertEqual(self.browser.text("#answers-line"), "Main queue answers within 12 ms")
        self.assertEqual(self.browser.find("#answers").get_attribute("data-kind"), "soon")
        self.browser.click("#answers summary")
        for name, text in (("p50", "0.04 ms"), ("p99", "2.5 ms"), ("max", "12 ms"), ("samples", "1,200")):
            self.assertEqual(self.browser.text(f"#answers-{name}"), text)
        self.mock.change(answers={"p50": 1, "p99": 2, "max": 40.2, "samples": 1200})
        self.until("document.getElementById('answers').dataset.kind === 'late'")
        self.assertIn("40 ms", self.browser.text("#answers-line"))


class RefusedRemoval(GooglyPageTest):
    provoked = ("409",)

    def test_a_refused_removal_gives_the_photo_back_and_the_reason(self):
        one, two = self.add("one.png", "two.png", work="running")
        self.open()
        self.browser.press(Keys.HOME, Keys.DELETE)
        self.until_shown(two)
        self.browser.click(".toast .icon")
        self.until_shown(one, two)
        self.assertIn("This photo is being worked on", self.browser.text("#toasts"))


if __name__ == "__main__":
    unittest.main()
