"""Zoom, pan, search, keyboard, theme: the ways through a recording."""
import unittest

import scenes
from browser import POINTER_TOUCH, ActionBuilder, ActionChains, Browser, Keys


class Navigation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def setUp(self):
        self.browser.open(scenes.photos().json())
        self.browser.settled()

    def at_canvas(self, x, y):
        box = self.browser.value("(({left, top}) => [left, top])"
                                 "(document.getElementById('canvas').getBoundingClientRect())")
        return box[0] + x, box[1] + y

    def wheel(self, x, y, delta, origin="canvas"):
        self.browser.run(
            "const canvas = document.getElementById(arguments[3]);"
            "const {left, top} = canvas.getBoundingClientRect();"
            "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: arguments[2], bubbles: true,"
            " cancelable: true, clientX: left + arguments[0], clientY: top + arguments[1]}))",
            x, y, delta, origin)

    def drag(self, from_point, to_point):
        chain = ActionChains(self.browser.driver)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(*map(round, from_point))
        pointer.pointer_down()
        pointer.move_to_location(*map(round, to_point))
        pointer.pointer_up()
        chain.perform()

    def time_at(self, x):
        return self.browser.value("Signalbox.page.timeline.viewport.time(arguments[0])", x)

    def focus_lanes(self):
        self.browser.run("document.getElementById('canvas').focus()")

    def test_the_wheel_zooms_about_the_pointer(self):
        before, span = self.time_at(300), self.browser.view()[1]
        self.wheel(300, 100, -400)
        self.assertLess(self.browser.view()[1], span / 2)
        self.assertAlmostEqual(self.time_at(300), before, delta=10)

    def test_no_zoom_loses_the_recording(self):
        whole = self.browser.view()
        for _ in range(40):
            self.wheel(300, 100, -1000)
        self.assertGreaterEqual(self.browser.view()[1], 10)
        for _ in range(60):
            self.wheel(500, 100, 1000)
        self.assertEqual(self.browser.view(), whole)

    def test_two_fingers_zoom(self):
        span = self.browser.view()[1]
        x, y = self.at_canvas(300, 60)

        actions = ActionBuilder(self.browser.driver)
        for number, direction in enumerate((-1, 1)):
            finger = actions.add_pointer_input(POINTER_TOUCH, f"finger {number}")
            finger.create_pointer_move(duration=0, x=round(x + 40 * direction), y=round(y))
            finger.create_pointer_down(button=0)
            for away in (80, 120, 160):
                finger.create_pointer_move(duration=50, x=round(x + away * direction), y=round(y))
            finger.create_pointer_up(0)
        actions.perform()
        self.browser.until("Signalbox.page.timeline.viewport.span < arguments[0] / 3", span)
        self.assertIsNone(self.browser.chosen())

    def test_dragging_pans(self):
        self.wheel(300, 100, -600)
        begin, span = self.browser.view()
        self.drag(self.at_canvas(400, 5), self.at_canvas(300, 5))
        moved, same = self.browser.view()
        self.assertAlmostEqual(same, span, delta=1)
        self.assertGreater(moved, begin)
        self.assertIsNone(self.browser.chosen())

    def test_a_stretch_of_the_axis_becomes_the_view(self):
        times = self.time_at(200), self.time_at(400)
        x, y = self.at_canvas(0, -10)
        self.drag((x + 200, y), (x + 400, y))
        begin, span = self.browser.view()
        self.assertAlmostEqual(begin, times[0], delta=2e5)
        self.assertAlmostEqual(begin + span, times[1], delta=2e5)

    def test_the_overview_moves_the_view(self):
        self.wheel(100, 100, -900)
        begin, span = self.browser.view()
        x, y = self.at_canvas(0, -50)
        self.browser.click_at(x + 700, y)
        moved, same = self.browser.view()
        self.assertGreater(moved, begin + span)
        self.assertAlmostEqual(same, span, delta=1)

    def test_the_overview_says_how_much_of_the_recording_is_in_view(self):
        def shown():
            return self.browser.value("document.getElementById('span-text').textContent")
        duration = "Signalbox.duration(Signalbox.page.story.meta.duration)"
        self.assertEqual(shown(), self.browser.value(duration))
        self.wheel(400, 100, -900)
        self.browser.settled()
        begin, span = self.browser.view()
        self.assertGreater(begin, 0)
        self.assertEqual(shown(), self.browser.value("Signalbox.duration(arguments[0])", span))

    def test_buttons_zoom_and_fit(self):
        whole = self.browser.view()
        self.browser.click("#zoom-in")
        self.browser.click("#zoom-in")
        self.assertLess(self.browser.view()[1], whole[1] / 2)
        self.browser.click("#zoom-out")
        self.browser.click("#fit")
        self.assertEqual(self.browser.view(), whole)

    def test_keys_zoom_and_pan(self):
        self.focus_lanes()
        whole = self.browser.view()
        self.browser.press("+", "+", "+")
        begin, span = self.browser.view()
        self.assertLess(span, whole[1] / 2)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.browser.view()[0], begin)
        self.browser.press(Keys.ARROW_LEFT)
        self.assertAlmostEqual(self.browser.view()[0], begin, delta=10)
        self.browser.press(Keys.END)
        self.assertGreater(self.browser.view()[0], begin)
        self.browser.press("0")
        self.assertEqual(self.browser.view(), whole)

    def test_items_are_walked_by_keyboard_and_spoken(self):
        self.focus_lanes()
        self.browser.press(Keys.ARROW_DOWN)
        self.assertIn("queue com.apple.main-thread", self.browser.text("#announcer"))
        self.browser.press("n")
        self.assertEqual(self.browser.chosen(), ["item", 0])
        self.assertIn("item 1 of com.apple.main-thread, async: waited 500",
                      self.browser.text("#announcer"))
        self.browser.press("n")
        self.assertEqual(self.browser.chosen(), ["item", 7])
        self.browser.press_shifted(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.chosen(), ["item", 21])
        self.browser.press("p", "p", "p")
        self.assertEqual(self.browser.chosen(), ["item", 0])
        self.assertIn("No earlier entry", self.browser.text("#announcer"))

    def test_enter_opens_the_story_and_escape_leads_back(self):
        self.focus_lanes()
        self.browser.press(Keys.ARROW_DOWN, "n", Keys.ENTER)
        self.assertEqual(self.browser.value("document.activeElement.id"), "story-panel")
        self.browser.press(Keys.ESCAPE)
        self.assertEqual(self.browser.value("document.activeElement.id"), "canvas")
        self.browser.press(Keys.ESCAPE)
        self.assertIsNone(self.browser.chosen())

    def test_keys_lead_to_the_longest(self):
        self.browser.press("w")
        self.assertEqual(self.browser.chosen(), ["item", 11])
        self.browser.press("b")
        self.assertEqual(self.browser.chosen(), ["wait", 0])
        self.browser.press(Keys.BACKSPACE)
        self.assertEqual(self.browser.chosen(), ["item", 11])

    def test_the_names_of_lanes_are_walked_by_arrows(self):
        self.browser.run("document.querySelector('.lane-label [tabindex=\"0\"]').focus()")
        self.browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(self.browser.value("document.activeElement.dataset.lane"), "queue:1")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.chosen(), ["queue", 1])

    def test_the_tab_key_reaches_every_part(self):
        self.browser.run("document.getElementById('search').focus()")
        reached = set()
        for _ in range(40):
            self.browser.press(Keys.TAB)
            reached.add(self.browser.value(
                "document.activeElement.closest('#lanes-space, #canvas, #story-splitter, "
                "#story-panel, #summary-splitter, #tabs, #table-place, .tools')?.id || ''"))
        for part in ("lanes-space", "canvas", "story-splitter", "story-panel", "summary-splitter",
                     "tabs", "table-place"):
            self.assertIn(part, reached)

    def test_search_filters_and_jumps(self):
        self.browser.find("#search").send_keys("faces")
        self.browser.until("document.getElementById('search-count').textContent !== ''")
        self.assertEqual(self.browser.text("#search-count"), "5 found")
        self.browser.settled()
        self.assertEqual(self.browser.texts(".lane-name"),
                         ["com.example.GooglyPuff.faces", "worker 3"])
        self.assertEqual(self.browser.texts("#table-place .row-link"),
                         ["com.example.GooglyPuff.faces"])
        self.assertIn("3 rows do not match", self.browser.text("#table-place"))
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.chosen(), ["item", 5])
        self.assertEqual(self.browser.text("#search-count"), "1 of 5")
        self.browser.press_shifted(Keys.ENTER)
        self.assertEqual(self.browser.text("#search-count"), "5 of 5")
        self.browser.press(Keys.ESCAPE)
        self.assertEqual(self.browser.value("document.getElementById('search').value"), "")
        self.browser.until("document.querySelectorAll('.lane-label.queue').length === 4")

    def test_search_finds_marks_and_objects(self):
        self.browser.find("#search").send_keys("GOOFY")
        self.browser.until("document.getElementById('search-count').textContent !== ''")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.chosen(), ["item", 11])
        self.browser.press(Keys.ESCAPE)
        self.browser.find("#search").send_keys("cache")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.chosen(), ["wait", 0])

    def test_search_finds_intervals_by_name_and_details(self):
        self.browser.open(scenes.intervals().json())
        self.browser.find("#search").send_keys("faces.jpg")
        self.browser.until("document.getElementById('search-count').textContent !== ''")
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.chosen(), ["interval", 2])
        self.assertEqual(self.browser.text("#search-count"), "1 of 1")

    def test_search_without_a_match_says_so(self):
        self.browser.find("#search").send_keys("no such label")
        self.browser.until("document.getElementById('search-count').textContent !== ''")
        self.assertEqual(self.browser.text("#search-count"), "nothing found")
        self.browser.press(Keys.ENTER)
        self.assertIsNone(self.browser.chosen())

    def test_letters_in_the_search_field_are_text(self):
        self.browser.find("#search").send_keys("wb0?t")
        self.assertIsNone(self.browser.chosen())
        self.assertFalse(self.browser.value("document.getElementById('help').open"))

    def test_the_theme_changes_by_button_and_key(self):
        before = self.browser.value("getComputedStyle(document.body).backgroundColor")
        self.browser.click("#theme")
        after = self.browser.value("getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(before, after)
        self.browser.press("t")
        self.assertEqual(self.browser.value("getComputedStyle(document.body).backgroundColor"), before)

    def test_the_help_lists_the_keys(self):
        self.browser.press("?")
        self.assertTrue(self.browser.value("document.getElementById('help').open"))
        self.assertIn("next, previous item in the lane", self.browser.text("#help"))
        self.browser.press(Keys.ESCAPE)
        self.browser.until("!document.getElementById('help').open")

    def test_arrows_of_hops_can_be_left_out(self):
        picture = "document.getElementById('canvas').toDataURL()"
        before = self.browser.value(picture)
        self.browser.press("a")
        self.browser.settled()
        self.assertNotEqual(self.browser.value(picture), before)
        self.assertEqual(self.browser.find("#arrows").get_attribute("aria-pressed"), "false")

    def test_the_borders_move_by_key(self):
        width = "document.getElementById('story-panel').offsetWidth"
        before = self.browser.value(width)
        self.browser.run("document.getElementById('story-splitter').focus()")
        self.browser.press(Keys.ARROW_LEFT)
        self.assertEqual(self.browser.value(width), before + 24)

    def test_the_pointer_shows_what_it_is_on(self):
        place = self.browser.place("item", 5)
        chain = ActionChains(self.browser.driver)
        chain.w3c_actions.pointer_action.move_to_location(round(place["x"]), round(place["y"]))
        chain.perform()
        self.browser.until("!document.getElementById('tooltip').hidden")
        self.assertIn("overly-attached-girlfriend.jpg", self.browser.text("#tooltip"))


if __name__ == "__main__":
    unittest.main()
