"""What is on the canvas: each thing has the colour of its state and a form of its own."""
import unittest

import scenes
from browser import Browser

PIXELS = """
const { timeline } = Signalbox.page;
const [x, y, width, height] = [...arguments].map(Math.round);
const { data } = timeline.canvas.getContext('2d').getImageData(x, y, width, height);
const hex = (n) => n.toString(16).padStart(2, '0');
return Array.from({ length: width * height }, (_, i) =>
  '#' + hex(data[4 * i]) + hex(data[4 * i + 1]) + hex(data[4 * i + 2]));
"""
BOXES = """
const { timeline } = Signalbox.page;
return timeline.picker.places({ kind: arguments[0], id: arguments[1] }).map(({ track, from, to }) => ({
  style: track.style, lane: track.lane.kind, x: timeline.viewport.x(from), right: timeline.viewport.x(to),
  y: timeline.y(track.lane) + track.y, height: track.height, top: timeline.y(track.lane),
  whole: track.lane.height }));
"""


class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def open(self, scene):
        self.browser.open(scene.json())
        self.browser.press("a")
        self.browser.run("document.getElementById('page').style.setProperty('--summary-height', '34px')")
        self.browser.until("document.getElementById('summary').offsetHeight < 40")
        self.browser.run("Signalbox.page.timeline.requestDraw()")
        self.browser.settled()

    def box(self, kind, number, style):
        return next(box for box in self.browser.run(BOXES, kind, number) if box["style"] == style)

    def pixels(self, x, y, width, height):
        return self.browser.run(PIXELS, x, y, width, height)

    def colour(self, name):
        return self.browser.value("getComputedStyle(document.documentElement)"
                                  ".getPropertyValue('--' + arguments[0]).trim()", name)

    def test_a_barrier_takes_the_whole_height_of_its_queue(self):
        self.open(scenes.photos())
        box = self.box("item", 6, "run")
        self.assertEqual(box["lane"], "queue")
        # Its edge is two pixels wide, and need not begin at a whole pixel.
        column = self.pixels(box["x"] - 1, box["top"] + 2, 4, box["whole"] - 5)
        rows = [column[at:at + 4] for at in range(0, len(column), 4)]
        self.assertTrue(all(self.colour("barrier") in row for row in rows))

    def test_an_interval_is_an_outline_dashed_if_another_thread_ended_it(self):
        self.open(scenes.intervals())
        edges = {}
        for number in (0, 3):
            box = self.box("interval", number, "interval")
            self.assertEqual(box["lane"], "thread")
            edges[number] = self.pixels(box["x"] + 4, box["y"], box["right"] - box["x"] - 8, 1)
            ground = self.pixels(box["right"] - 4, box["y"] + 4, 1, 1)
            self.assertEqual(ground, [self.colour("interval-ground")])
        # The line of the one is whole, that of the other has gaps.
        self.assertEqual(set(edges[0]), {self.colour("interval")})
        self.assertIn(self.colour("interval"), edges[3])
        self.assertGreater(len(set(edges[3])), 1)

    def test_intervals_within_another_are_below_it(self):
        self.open(scenes.intervals())
        outer, inner, later = (self.box("interval", number, "interval") for number in (0, 1, 2))
        self.assertGreater(inner["y"], outer["y"])
        self.assertEqual(inner["y"], later["y"])

    def test_another_item_does_not(self):
        self.open(scenes.photos())
        box = self.box("item", 5, "run")
        self.assertNotIn(self.colour("run"), self.pixels(box["x"] - 1, box["top"] + 1, 4, 4))

    def test_each_form_has_the_colour_of_its_state(self):
        self.open(scenes.forms())
        for number, name in ((0, "run"), (1, "barrier"), (5, "sync")):
            for box in self.browser.run(BOXES, "item", number):
                if box["style"] == "run":
                    found = self.pixels(box["right"] - 6, box["y"] + 3, 3, 3)
                    self.assertIn(self.colour(name), found, (number, box["lane"]))
        waiting = self.box("item", 0, "queued")
        self.assertIn(self.colour("wait"), self.pixels(waiting["x"] + 5, waiting["y"], 8, 6))

    def test_a_delayed_item_waits_in_dashes(self):
        self.open(scenes.forms())
        plain, delayed = (self.box("item", number, "queued") for number in (0, 2))

        def has_line(box):
            rows = self.pixels(box["x"] + 4, box["y"], 30, box["height"])
            lines = [rows[at:at + 30] for at in range(0, len(rows), 30)]
            return any(set(line) == {self.colour("wait-line")} for line in lines)
        self.assertTrue(has_line(plain))
        self.assertFalse(has_line(delayed))

    def test_blocked_is_striped(self):
        self.open(scenes.photos())
        self.browser.press("b", "z")
        self.browser.settled()
        box = self.box("wait", 0, "blocked")
        line = self.pixels(box["right"] - 60, box["y"] + box["height"] / 2, 50, 1)
        changes = sum(1 for one, other in zip(line, line[1:]) if one != other)
        self.assertGreater(changes, 10)
        self.assertIn(self.colour("blocked-ground"), line)

    def test_lost_events_chequer_their_lane(self):
        self.open(scenes.lost())
        box = self.box("gap", 0, "points")
        found = self.pixels(box["x"] - 4, box["top"] + 20, 8, 12)
        self.assertIn(self.colour("gap"), found)
        self.assertGreater(len(set(found)), 1)

    def test_a_hop_is_an_arrow(self):
        self.open(scenes.photos())
        before = self.pixels(0, 0, 700, 400)
        self.browser.press("a")
        self.browser.settled()
        self.assertNotEqual(self.pixels(0, 0, 700, 400), before)

    def test_an_idle_thread_is_dotted(self):
        self.open(scenes.photos())
        run = next(each for each in self.browser.run(BOXES, "item", 4) if each["lane"] == "thread")
        line = self.pixels(run["right"] + 200, run["y"], 60, run["height"])
        rows = [line[at:at + 60] for at in range(0, len(line), 60)]
        dotted = [row for row in rows if self.colour("idle") in row]
        self.assertTrue(dotted)
        self.assertLess(dotted[0].count(self.colour("idle")), 40)


if __name__ == "__main__":
    unittest.main()
