"""Pictures of the page in out/web, for human eyes; the tests assert that they show something."""
import struct
import unittest
import zlib

import scenes
from browser import Browser, OUT
from large_story import large_story


def colours(path):
    """The number of different pixels in every eighth line of a picture."""
    data = path.read_bytes()
    width, height, _, kind = struct.unpack(">IIBB", data[16:26])
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    size = {2: 3, 6: 4}[kind]
    rows = zlib.decompress(packed)
    stride = width * size + 1
    return len({rows[row * stride + 1 + at:row * stride + 1 + at + size]
                for row in range(0, height, 8) for at in range(0, stride - 1, size)})


class Looks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def pictures(self, name, scene, prepare=""):
        self.browser.open(scene.json())
        if prepare:
            self.browser.run(prepare)
        for theme in ("light", "dark"):
            if self.browser.value("document.documentElement.dataset.theme") != theme:
                self.browser.run("Signalbox.page.theme.toggle()")
            self.browser.screenshot(f"{name}-{theme}")
            self.assertGreater(colours(OUT / f"{name}-{theme}.png"), 20)

    def test_photos(self):
        self.pictures("photos", scenes.photos())

    def test_the_story_of_the_photo_that_waited_longest(self):
        self.pictures("photos-story", scenes.photos(),
                      "Signalbox.page.timeline.choose({kind: 'item', id: 11}, {show: true})")

    def test_a_blocked_worker(self):
        self.pictures("photos-blocked", scenes.photos(),
                      "Signalbox.page.timeline.choose({kind: 'wait', id: 0}, {show: true})")

    def test_forms_of_items(self):
        self.pictures("forms", scenes.forms())

    def test_hostile_labels(self):
        self.pictures("hostile", scenes.hostile())

    def test_many_events(self):
        self.pictures("large", large_story(60_000))

    def test_many_queues(self):
        self.pictures("many-queues", scenes.many_queues())

    def test_lost_events(self):
        self.pictures("lost", scenes.lost())

    def test_nothing(self):
        self.pictures("empty", scenes.empty())

    def test_help(self):
        self.pictures("help", scenes.photos(), "Signalbox.page.help.open()")

    def test_a_small_window(self):
        size = self.browser.driver.get_window_size()
        self.browser.resize(620, 900)
        try:
            self.pictures("small", scenes.photos())
            self.assertLessEqual(
                self.browser.value("document.querySelector('.work').getBoundingClientRect().bottom"),
                self.browser.value("document.getElementById('summary').getBoundingClientRect().top") + 1)
        finally:
            self.browser.resize(size["width"], size["height"])


if __name__ == "__main__":
    unittest.main()
