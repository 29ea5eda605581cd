"""Texts are legible and states distinguishable, also without the cones for red, green or blue."""
import itertools
import unittest

import scenes
from browser import Browser

# Linear RGB without one kind of cones: Machado, Oliveira and Fernandes (2009), severity 1.
SEEN = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                     (-0.003882, -0.048116, 1.051998)),
    "no green cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                       (-0.011820, 0.042940, 0.968881)),
    "no blue cones": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                      (0.004733, 0.691367, 0.303900)),
}
STATES = ["run", "sync", "barrier", "wait-line", "blocked", "timer"]
# CIE76 in Lab: 2 is just noticeable; this much is clearly another colour.
APART = 12
INKS = [("run", "run-ink"), ("sync", "sync-ink"), ("barrier", "barrier-ink"),
        ("blocked-ground", "blocked-ink"), ("timer", "timer-ink"), ("ground", "text"),
        ("interval-ground", "text"),
        ("ground", "text-soft"),
        ("heading", "text-soft"), ("bar", "text-soft"), ("panel", "link"), ("panel", "text-soft")]
READABLE = 4.5


def linear(colour):
    values = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def luminance(colour):
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear(colour)))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047
    y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
    z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(one, other, matrix):
    def seen(colour):
        rgb = linear(colour)
        return lab([min(1, max(0, sum(a * b for a, b in zip(row, rgb)))) for row in matrix])
    return sum((a - b) ** 2 for a, b in zip(seen(one), seen(other))) ** 0.5


class Colours(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()
        cls.browser.open(scenes.forms().json())

    def themes(self):
        for theme in ("light", "dark"):
            if self.browser.value("document.documentElement.dataset.theme") != theme:
                self.browser.click("#theme")
            yield theme, lambda name: self.browser.value(
                "getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0])",
                name).strip()

    def test_texts_stand_out_from_what_they_stand_on(self):
        for theme, colour in self.themes():
            for ground, ink in INKS:
                with self.subTest(theme=theme, ground=ground, ink=ink):
                    self.assertGreaterEqual(contrast(colour(ground), colour(ink)), READABLE)

    def test_states_are_told_apart_by_every_eye(self):
        for theme, colour in self.themes():
            for eye, matrix in SEEN.items():
                for one, other in itertools.combinations(STATES, 2):
                    with self.subTest(theme=theme, eye=eye, states=(one, other)):
                        self.assertGreaterEqual(distance(colour(one), colour(other), matrix), APART)

    def test_less_motion_is_respected(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        try:
            self.browser.run("Signalbox.page.timeline.viewport.moveTo(1000, 2000)")
            self.assertEqual(self.browser.value("Signalbox.page.timeline.viewport.span"), 2000)
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_the_system_chooses_the_theme(self):
        for scheme in ("dark", "light"):
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.browser.open(scenes.forms().json())
            self.assertEqual(self.browser.value("document.documentElement.dataset.theme"), scheme)
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


if __name__ == "__main__":
    unittest.main()
