"""1,000 photos are drawn, most of them later. The times are printed beside their goals, which `make
bench-web` asserts on an otherwise idle machine."""
import statistics
import unittest

from browser import Browser
from googly_speed import FIRST_DRAWING_MS, NEW_STATE_MS, PHOTOS, STEPS, GooglySpeed, many_photos


class Speed(unittest.TestCase):
    def test_a_thousand_photos(self):
        browser, mock = Browser.get(), many_photos()
        self.addCleanup(mock.stop)
        self.addCleanup(browser.driver.get, "about:blank")
        speed = GooglySpeed(browser, mock)
        browser.until("document.querySelectorAll('.card').length === arguments[0]", PHOTOS)
        # The page requests pictures when they come near.
        asked = sum(path.endswith("/thumbnail") for _, path in list(mock.requests))
        self.assertLess(asked, PHOTOS / 2)
        times = speed.new_states()
        self.assertEqual(len(times), STEPS)
        print(f"\n{PHOTOS:,} photos: first drawing after {speed.first_drawing:.0f} ms (goal "
              f"{FIRST_DRAWING_MS}), a new state in {statistics.median(times):.1f} ms (goal "
              f"{NEW_STATE_MS})", flush=True)


if __name__ == "__main__":
    unittest.main()
