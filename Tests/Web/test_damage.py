"""A damaged, foreign or missing story gives a message about that, not a blank page."""
import json
import unittest

import scenes
from browser import Browser


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def refused(self, text, expected):
        self.browser.open(text)
        self.assertEqual(self.browser.value("document.documentElement.dataset.state"), "failed")
        self.assertTrue(self.browser.find("#failure").is_displayed())
        self.assertFalse(self.browser.find("#page").is_displayed())
        self.assertIn("This timeline cannot be drawn", self.browser.text("#failure"))
        self.assertIn(expected, self.browser.text("#failure"))

    def changed(self, change):
        story = scenes.photos().story()
        change(story)
        return json.dumps(story)

    def test_a_script_that_was_changed(self):
        """The policy blocks it; the page's static text says so."""
        page = self.browser.open(scenes.photos().json())
        text = page.read_text(encoding="utf-8")
        changed = text.replace('performance.mark("signalbox:script")', 'performance.mark("other")')
        self.assertNotEqual(text, changed)
        page.write_text(changed, encoding="utf-8")
        self.browser.driver.get(page.as_uri())
        self.assertTrue(self.browser.find("#failure").is_displayed())
        self.assertFalse(self.browser.find("#page").is_displayed())
        self.assertIn("a changed script is refused", self.browser.text("#failure"))
        self.assertTrue(any("Content Security Policy" in each for each in self.browser.console()))

    def test_no_story(self):
        self.refused("", "There is no story")

    def test_a_story_that_was_cut_off(self):
        text = scenes.photos().json()
        self.refused(text[:len(text) // 2], "not JSON")

    def test_what_is_not_a_story(self):
        for text in ("null", "[]", "17", '"text"', "{}", '{"format":"other","version":1}',
                     '{"traceEvents":[]}'):
            with self.subTest(text):
                self.refused(text, "not a story")

    def test_another_version(self):
        self.refused(self.changed(lambda story: story.update(version=2)), "version 2")

    def test_no_program(self):
        self.refused(self.changed(lambda story: story.pop("meta")), "which program")

    def test_columns_of_different_length(self):
        self.refused(self.changed(lambda story: story["items"]["started"].pop()), "differ in length")

    def test_a_column_that_is_missing(self):
        self.refused(self.changed(lambda story: story["waits"].pop("owner")), "differ in length")

    def test_indices_beyond_their_lists(self):
        def column(table, name, value):
            def change(story):
                story[table][name][0] = value
            return change
        for table, name, value in (("items", "queue", 99), ("items", "runner", -2),
                                   ("items", "within", 10_000), ("waits", "object", 50),
                                   ("marks", "text", 1_000_000), ("waits", "thread", 1.5),
                                   ("items", "started", None), ("items", "flags", "many")):
            with self.subTest(f"{table}.{name}"):
                self.refused(self.changed(column(table, name, value)), f"{table}.{name}")

    def test_texts_that_are_not_there(self):
        self.refused(self.changed(lambda story: story["queues"][0].update(label=999)), "no text 999")

    def test_lists_that_are_something_else(self):
        for name, value in (("strings", {}), ("threads", "x"), ("queues", 3)):
            with self.subTest(name):
                self.refused(self.changed(lambda story: story.update({name: value})), "not a list")
        self.refused(self.changed(lambda story: story.update(items=[])), "columns")

    def test_tables_that_are_missing_are_empty(self):
        self.browser.open(self.changed(lambda story: [story.pop(name) for name in (
            "holds", "steps", "passes", "marks", "intervals", "gaps", "timers", "parked", "waits")]))
        self.assertEqual(self.browser.value("document.documentElement.dataset.state"), "complete")
        self.assertEqual(self.browser.console(), [])

    def test_times_that_make_no_sense_draw_something(self):
        def change(story):
            story["items"]["finished"][1] = 0
            story["items"]["submitted"][2] = 10**14
            story["waits"]["ended"][0] = 1
            story["meta"]["duration"] = -5
            story["parked"]["began"][0] = 10**15
        self.browser.open(self.changed(change))
        self.assertEqual(self.browser.value("document.documentElement.dataset.state"), "complete")
        self.assertEqual(self.browser.console(), [])


if __name__ == "__main__":
    unittest.main()
