"""A queue picture one event at a time, with the code beside it: QueuePictures --step."""
import itertools
import json
import pathlib
import re
import tempfile
import unittest

from browser import OUT, ROOT, Browser, Keys
from queue_pictures import draw

SCENES = ("sync-8", "livelock")


class QueueSteps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()
        cls.folder = tempfile.TemporaryDirectory(prefix="signalbox-steps-")
        cls.place = pathlib.Path(cls.folder.name)
        draw(cls.place, SCENES, "--step")

    @classmethod
    def tearDownClass(cls):
        cls.browser.resize(1440, 960)
        cls.folder.cleanup()

    def open(self, scene, fragment=""):
        page = self.place / f"{scene}.step.html"
        walk = re.search(r'id="walk">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)[1]
        # The same address with another event would not reload the page.
        self.browser.driver.get("about:blank")
        self.browser.console()
        self.browser.driver.get(page.as_uri() + fragment)
        return json.loads(walk)

    def shown(self):
        """The event in words, the current lines of the threads, and how far the picture reaches."""
        return self.browser.value(
            "{event: document.getElementById('event').textContent,"
            " here: [...document.querySelectorAll('#code [aria-current]')].map((each) => "
            "[Number(each.firstChild.textContent) - 1, each.querySelector('b.mover').textContent]),"
            " at: [...document.querySelectorAll('#code .at')].map((each) => "
            "Number(each.firstChild.textContent) - 1),"
            " step: [...document.querySelectorAll('#steps > ol > li')].findIndex((each) => "
            "each.classList.contains('current')) + 1,"
            " x: Number(document.querySelector('#picture svg .later').getAttribute('x'))}")

    def is_at(self, walk, number):
        moment = walk["moments"][number]
        title = walk["threads"][moment["thread"]]["title"]
        shown = self.shown()
        self.assertIn(f"{title} {moment['words']}.", shown["event"])
        self.assertEqual(shown["here"], [[moment["line"], title]])
        self.assertEqual(shown["step"], moment["step"])
        self.assertAlmostEqual(shown["x"], moment["x"], 3)
        last = {}
        for each in walk["moments"][:number + 1]:
            last[each["thread"]] = each["line"]
        self.assertEqual(shown["at"], sorted(set(last.values())))

    def test_each_event_has_its_line_and_its_place_in_the_picture(self):
        for scene in SCENES:
            walk = self.open(scene)
            self.assertGreater(len(walk["moments"]), 20)
            for number in range(len(walk["moments"])):
                self.is_at(walk, number)
                self.browser.press(Keys.ARROW_RIGHT)
            # The last one stays.
            self.is_at(walk, len(walk["moments"]) - 1)
            self.assertEqual(self.browser.console(), [])

    def test_the_code_is_what_ran(self):
        walk = self.open("sync-8")
        texts = self.browser.texts("#code div > span")
        self.assertEqual([each.strip() for each in texts], [each.strip() for each in walk["code"]])
        source = (ROOT / "Examples/QueuePictures/Sources/QueuePictures/Scenes/Scene+Sync.swift")
        for line in walk["code"][:10]:
            self.assertIn(line.strip(), source.read_text(encoding="utf-8"))

    def test_buttons_keys_and_the_slider_lead_to_the_same_events(self):
        walk = self.open("sync-8")
        last = len(walk["moments"]) - 1
        self.browser.click("#next")
        self.is_at(walk, 1)
        self.browser.click("#back")
        self.is_at(walk, 0)
        self.assertFalse(self.browser.find("#back").is_enabled())
        self.browser.press(Keys.END)
        self.is_at(walk, last)
        self.assertFalse(self.browser.find("#next").is_enabled())
        self.browser.press(Keys.HOME)
        self.is_at(walk, 0)
        self.browser.click("#last")
        self.is_at(walk, last)
        self.browser.click("#first")
        self.is_at(walk, 0)
        self.browser.run("const range = document.getElementById('range'); range.value = 7; "
                         "range.dispatchEvent(new Event('input'))")
        self.is_at(walk, 7)
        self.browser.find("#range").send_keys(Keys.ARROW_RIGHT)
        self.is_at(walk, 8)

    def test_a_step_leads_to_its_first_event(self):
        walk = self.open("sync-8")
        for step in walk["steps"]:
            self.browser.press(Keys.ARROW_DOWN)
            self.is_at(walk, step["moment"])
        self.browser.press(Keys.ARROW_UP)
        self.is_at(walk, walk["steps"][-2]["moment"])
        self.browser.all("#steps > ol > li")[3].click()
        self.is_at(walk, walk["steps"][3]["moment"])
        self.browser.all("#events > ol > li")[2].click()
        self.is_at(walk, 2)

    def test_the_address_names_the_event(self):
        walk = self.open("sync-8", "#event=12")
        self.is_at(walk, 11)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertTrue(self.browser.value("location.hash").endswith("event=13"))
        for fragment in ("#event=0", "#event=x", "#other"):
            self.open("sync-8", fragment)
            self.is_at(walk, 0)
        self.open("sync-8", "#event=99999")
        self.is_at(walk, len(walk["moments"]) - 1)

    def test_the_line_of_the_event_is_in_view_and_unlike_all_others(self):
        try:
            for width, height in ((1440, 960), (1200, 660), (900, 560)):
                self.browser.resize(width, height)
                for scene in SCENES:
                    walk = self.open(scene)
                    for number in range(len(walk["moments"])):
                        place = self.browser.value(
                            "((line, code) => ({line: line.getBoundingClientRect().toJSON(), "
                            "code: code.getBoundingClientRect().toJSON(), height: innerHeight}))"
                            "(document.querySelector('#code [aria-current]'), "
                            "document.getElementById('code'))")
                        words = f"{scene}, {width} × {height}, event {number + 1}: {place}"
                        self.assertGreaterEqual(place["line"]["top"], place["code"]["top"], words)
                        self.assertLessEqual(
                            place["line"]["bottom"], min(place["code"]["bottom"], place["height"]),
                            words)
                        names = self.browser.value(
                            "[...document.querySelectorAll('#code b')].map((name) => ((place) => "
                            "[place.left, place.right, place.top])(name.getBoundingClientRect()))")
                        for one, other in itertools.combinations(names, 2):
                            self.assertTrue(one[2] != other[2] or one[1] <= other[0]
                                            or other[1] <= one[0], f"{words}, {names}")
                        self.browser.press(Keys.ARROW_RIGHT)
                    look = self.browser.value(
                        "[...document.querySelectorAll('#code div')].map((line) => "
                        "[line.className, getComputedStyle(line).outlineStyle, "
                        "getComputedStyle(line, '::before').content])")
                    marked = [each for each in look if each[0] == "at here"]
                    self.assertEqual(marked, [["at here", "solid", '"▶"']])
                    self.assertTrue(all(each[1] == "none" and each[2] == "none"
                                        for each in look if each[0] != "at here"))
                self.browser.driver.save_screenshot(str(OUT / f"queue-steps-{width}x{height}.png"))
        finally:
            self.browser.resize(1440, 960)

    def test_it_fits_a_narrow_window(self):
        try:
            for width in (1440, 900, 500):
                self.browser.resize(width, 900)
                self.open("sync-8", "#event=23")
                self.assertLessEqual(
                    self.browser.value("document.documentElement.scrollWidth - innerWidth"), 0)
                self.browser.driver.save_screenshot(str(OUT / f"queue-steps-{width}.png"))
        finally:
            self.browser.resize(1440, 960)

    def test_it_is_light_or_dark_as_the_system_is(self):
        grounds = []
        for theme in ("light", "dark"):
            self.browser.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": theme}]})
            self.open("livelock", "#event=9")
            grounds.append(self.browser.value("getComputedStyle(document.body).backgroundColor"))
            for other in ("light", "dark"):
                self.assertEqual(
                    self.browser.find(f"#picture .{other}").is_displayed(), theme == other)
            self.browser.driver.save_screenshot(str(OUT / f"queue-steps-{theme}.png"))
        self.assertEqual(grounds, ["rgb(255, 255, 255)", "rgb(18, 22, 28)"])
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


if __name__ == "__main__":
    unittest.main()
