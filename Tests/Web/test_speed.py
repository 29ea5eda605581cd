"""A large recording opens and zooms. The times are printed beside their goals, which `make
bench-web` asserts on an otherwise idle machine."""
import statistics
import unittest

from browser import Browser
from large_story import large_story
from page_speed import EVENTS, FIRST_DRAWING_MS, STEPS, ZOOM_STEP_MS, PageSpeed


class Speed(unittest.TestCase):
    def test_opening_and_zooming(self):
        browser = Browser.get()
        speed = PageSpeed(browser, large_story(EVENTS).json())
        print(f"\n{EVENTS:,} events: first drawing after {speed.first_drawing:.0f} ms "
              f"(goal {FIRST_DRAWING_MS}), tables after {speed.complete:.0f} ms", flush=True)
        # The first view does not wait for the counts.
        self.assertLessEqual(speed.first_drawing, speed.complete)
        whole = browser.view()
        for where, scroll in (("queues", 0), ("threads", 1e6)):
            times, spans = speed.zoom_steps(scroll)
            print(f"a zoom step over {where}: {statistics.median(times):.1f} ms (greatest "
                  f"{max(times):.1f}, goal {ZOOM_STEP_MS})", flush=True)
            # The page draws each step: half of them inwards, and as many back to the whole.
            steps = list(zip([whole[1], *spans], spans))
            self.assertEqual(len(steps), STEPS)
            self.assertTrue(all(after < before for before, after in steps[:STEPS // 2]), spans)
            self.assertTrue(all(after > before for before, after in steps[STEPS // 2:-1]), spans)
            self.assertAlmostEqual(browser.view()[1] / whole[1], 1, places=6)


if __name__ == "__main__":
    unittest.main()
