"""Zoom and pan in the detail view of GooglyPuff's page: by wheel, fingers, buttons and keys."""
import unittest

from googly_mock import PHOTOS
from googly_page import ActionChains, GooglyPageTest, Keys

# How far the picture extends beyond each side of its room: left, top, right, bottom.
BEYOND = """(() => {
  const room = document.getElementById('room').getBoundingClientRect();
  const picture = document.getElementById('picture').getBoundingClientRect();
  return [room.left - picture.left, room.top - picture.top,
          picture.right - room.right, picture.bottom - room.bottom];
})()"""
# The point of the picture at a point of the window.
AT = """(() => {
  const {left, top, width, height} = document.getElementById('picture').getBoundingClientRect();
  return [(arguments[0] - left) / width, (arguments[1] - top) / height];
})()"""


class Zoom(GooglyPageTest):
    def setUp(self):
        super().setUp()
        data = (PHOTOS / "astronaut.png").read_bytes()
        self.number, self.other = self.mock.add("astronaut.png", data=data), self.mock.add("other.png")
        self.mock.finish(self.number, ((203, 113, 21), (251, 112, 19)))
        self.open(f"#photo-{self.number}")
        self.until("document.querySelector('.result.shown')?.naturalWidth > 0")

    def percent(self):
        return int(self.browser.text("#zoom-percent").split()[0])

    def beyond(self):
        return self.browser.value(BEYOND)

    def until_beyond(self, left, top):
        """Waits until the picture extends this far beyond the room's left and top sides."""
        self.until(f"((beyond) => Math.abs(beyond[0] - arguments[0]) < 3 && "
                   f"Math.abs(beyond[1] - arguments[1]) < 3)({BEYOND})", left, top)

    def box(self, selector):
        return self.browser.value(
            "document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)

    def wheel(self, x, y, delta, **fields):
        """Turns the wheel at a point of the window."""
        self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, **fields})

    def touch(self, kind, *points):
        self.browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y, "id": number}
                                          for number, (x, y) in enumerate(points)]})

    def test_buttons_zoom_and_say_how_far(self):
        self.assertEqual(self.percent(), 100)
        for name in ("zoom-out", "zoom-fit"):
            self.assertEqual(self.browser.find(f"#{name}").get_attribute("aria-disabled"), "true")
        self.browser.click("#zoom-in")
        self.assertEqual(self.percent(), 150)
        self.assertEqual(self.browser.text("#announcer"), "Zoomed to 150 %")
        self.assertEqual(self.browser.value("document.activeElement.id"), "zoom-in")
        for _ in range(9):
            self.browser.click("#zoom-in")
        self.assertEqual(self.percent(), 800)
        self.assertEqual(self.browser.find("#zoom-in").get_attribute("aria-disabled"), "true")
        self.browser.click("#zoom-out")
        self.assertEqual(self.percent(), 533)
        self.browser.click("#zoom-fit")
        self.assertEqual(self.percent(), 100)
        self.assertEqual(self.browser.text("#announcer"), "The whole photo")
        self.assertEqual(self.browser.value("document.getElementById('picture').style.transform"), "")

    def test_keys_zoom_and_arrows_show_the_other_parts(self):
        self.browser.press("+", "+", "+")
        self.assertEqual(self.percent(), 338)
        left, top, right, bottom = self.beyond()
        self.assertAlmostEqual(left, right, delta=1)
        self.assertAlmostEqual(top, bottom, delta=1)
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.beyond()[0], left + 20)
        self.browser.press(Keys.ARROW_DOWN)
        self.assertGreater(self.beyond()[1], top + 20)
        # It moves no further than to the edge.
        self.browser.press(*[Keys.ARROW_UP] * 40, *[Keys.ARROW_LEFT] * 40)
        self.assertAlmostEqual(self.beyond()[0], 0, delta=1)
        self.assertAlmostEqual(self.beyond()[1], 0, delta=1)
        self.assertEqual(self.browser.text("#detail-name"), "astronaut.png")
        self.browser.press("-")
        self.assertEqual(self.percent(), 225)
        self.browser.press("0")
        self.assertEqual(self.percent(), 100)
        # When the whole photo is visible, arrows lead to the neighbours again.
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.text("#detail-name"), "other.png")

    def test_the_wheel_zooms_at_the_pointer_and_the_page_stays(self):
        # This photo is larger than its room; a smaller one stays in the middle.
        self.browser.press("+", "+", "+")
        box = self.box("#room")
        x, y = round(box["x"] + box["width"] / 4), round(box["y"] + box["height"] / 3)
        before = self.browser.value(AT, x, y)
        self.wheel(x, y, -120)
        self.until("document.getElementById('zoom-percent').textContent === '477 %'")
        for one, other in zip(self.browser.value(AT, x, y), before):
            self.assertAlmostEqual(one, other, delta=0.005)
        # A pinch on a touch pad is a wheel event with Ctrl. It zooms the photo, not the page.
        self.wheel(x, y, -20, modifiers=2)
        self.until("document.getElementById('zoom-percent').textContent === '601 %'")
        self.assertEqual(self.browser.value("[visualViewport.scale, scrollY]"), [1, 0])
        self.wheel(x, y, 2000)
        self.until("document.getElementById('zoom-percent').textContent === '100 %'")
        self.assertEqual(self.browser.value("document.getElementById('picture').style.transform"), "")

    def test_dragging_moves_a_zoomed_photo_and_compares_a_whole_one(self):
        part = "document.getElementById('compare-range').valueAsNumber"
        self.browser.press("+", "+", "+")
        left, top, _, _ = self.beyond()
        room = self.browser.find("#room")
        ActionChains(self.browser.driver).move_to_element(room).click_and_hold() \
            .move_by_offset(-60, -40).release().perform()
        now = self.beyond()
        self.assertAlmostEqual(now[0], left + 60, delta=2)
        self.assertAlmostEqual(now[1], top + 40, delta=2)
        self.assertEqual(self.browser.value(part), 0)
        # The slider still divides it.
        self.browser.find("#compare-range").send_keys(Keys.ARROW_RIGHT * 5)
        self.assertEqual(self.browser.value(part), 5)
        self.assertAlmostEqual(self.beyond()[0], now[0], delta=1)
        self.browser.press("0")
        ActionChains(self.browser.driver).move_to_element(room).click_and_hold().release().perform()
        self.assertAlmostEqual(self.browser.value(part), 50, delta=3)

    def test_two_fingers_zoom_and_move(self):
        box = self.box("#picture")
        x, y = round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)
        self.touch("touchStart", (x - 40, y), (x + 40, y))
        self.touch("touchMove", (x - 120, y), (x + 120, y))
        self.until("document.getElementById('zoom-percent').textContent === '300 %'")
        before = self.beyond()
        self.touch("touchMove", (x - 150, y - 30), (x + 90, y - 30))
        self.until_beyond(before[0] + 30, before[1] + 30)
        now = self.beyond()
        self.touch("touchEnd")
        self.until("document.getElementById('announcer').textContent === 'Zoomed to 300 %'")
        # One finger moves it.
        self.touch("touchStart", (x, y))
        self.touch("touchMove", (x + 20, y))
        self.until_beyond(now[0] - 20, now[1])
        self.touch("touchEnd")

    def test_another_photo_begins_whole(self):
        self.browser.press("+")
        self.browser.click("#detail-next")
        self.assertEqual(self.percent(), 100)
        self.browser.press("+", Keys.ESCAPE)
        self.until("!document.getElementById('detail').open")
        self.browser.press(Keys.ENTER)
        self.until("document.getElementById('detail').open")
        self.assertEqual(self.percent(), 100)

    def test_a_large_result_is_sharp_when_it_is_zoomed(self):
        self.mock.update(self.other, work="done", faces=1, width=8000, height=6000,
                         thumbnail=f"{self.other}.2")
        self.browser.click("#detail-next")
        self.until("document.querySelector('.result.shown')?.src.endsWith('/after')")
        self.assertNotIn(("GET", f"/photos/{self.other}/googly"), self.mock.requests)
        self.browser.press("+")
        self.until_asked("GET", f"/photos/{self.other}/googly")

    def test_how_it_looks(self):
        for width, height in ((360, 740), (1440, 900)):
            self.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            try:
                for theme in ("light", "dark"):
                    self.theme(theme)
                    self.browser.press("0")
                    for steps in (0, 2, 3):
                        self.browser.press(*["+"] * steps, *[Keys.ARROW_UP] * (steps > 2))
                        self.assertFalse(self.browser.value(
                            "document.documentElement.scrollWidth > innerWidth"), (width, theme))
                        # Outside of its room, no part of the photo is visible or clickable.
                        box = self.box("#zoom-in")
                        self.assertEqual(self.browser.value(
                            "document.elementFromPoint(arguments[0], arguments[1]).closest('button')?.id",
                            box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), "zoom-in")
                        self.picture(f"zoom-{width}-{theme}-{self.percent()}")
            finally:
                self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


if __name__ == "__main__":
    unittest.main()
