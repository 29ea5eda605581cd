"""How soon the page draws 200,000 events, and how long a zoom step takes: measured and printed.

The goals are 2 s and 50 ms; here they are asserted with a wide margin, since other programs may
use the machine meanwhile."""
import statistics
import unittest

from browser import Browser
from large_story import large_story

EVENTS = 200_000
FIRST_DRAWING_MS, GENEROUS_FIRST_DRAWING_MS = 2_000, 20_000
ZOOM_STEP_MS, GENEROUS_ZOOM_STEP_MS = 50, 1_000

# From a turn of the wheel until the frame after the one that shows it.
ZOOM_STEPS = """
const done = arguments[arguments.length - 1];
const canvas = document.getElementById('canvas');
const { left, top, width } = canvas.getBoundingClientRect();
const times = [];
const step = (n) => {
  if (n === 60) return done(times);
  const began = performance.now();
  canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: n < 30 ? -120 : 120, cancelable: true,
    clientX: left + width * (0.2 + 0.6 * (n % 7) / 7), clientY: top + 50 }));
  requestAnimationFrame(() => requestAnimationFrame(() => {
    times.push(performance.now() - began);
    step(n + 1);
  }));
};
step(0);
"""
DRAWINGS = """
const { timeline } = Signalbox.page;
const times = [];
for (let n = 0; n < 60; n++) {
  timeline.viewport.zoomBy(n < 30 ? 1 / 1.3 : 1.3, 300 + n * 5);
  const began = performance.now();
  timeline.draw();
  times.push(performance.now() - began);
}
return times;
"""


class Speed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def measure(self, scroll):
        self.browser.run("document.getElementById('lanes-scroll').scrollTop = arguments[0]", scroll)
        self.browser.press("0")
        self.browser.settled()
        frames = self.browser.driver.execute_async_script(ZOOM_STEPS)
        drawings = self.browser.run(DRAWINGS)
        self.browser.settled()
        return frames, drawings

    def test_opening_and_zooming(self):
        story = large_story(EVENTS)
        self.browser.open(story.json(), "large")
        self.browser.settled()
        marks = dict(self.browser.value(
            "performance.getEntriesByType('mark').map((mark) => [mark.name, mark.startTime])"))
        first = marks["signalbox:first-drawing"]
        print(f"\n{EVENTS:,} events: first drawing after {first:.0f} ms (goal {FIRST_DRAWING_MS}), "
              f"tables after {marks['signalbox:complete']:.0f} ms", flush=True)
        self.assertLess(first, GENEROUS_FIRST_DRAWING_MS)
        for where, scroll in (("queues", 0), ("threads", 1e6)):
            frames, drawings = self.measure(scroll)
            print(f"a zoom step over {where}: {statistics.median(frames):.1f} ms until the frame after it "
                  f"(greatest {max(frames):.1f}, goal {ZOOM_STEP_MS}); its script "
                  f"{statistics.median(drawings):.1f} ms (greatest {max(drawings):.1f})", flush=True)
            self.assertLess(statistics.median(frames), GENEROUS_ZOOM_STEP_MS)


if __name__ == "__main__":
    unittest.main()
