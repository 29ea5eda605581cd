"""GooglyPuff as a web app, from start to end: the program itself, its server and its page."""
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from browser import OUT, PATIENCE, ROOT, Browser, Keys
from googly_page import FAULTS

PACKAGE = ROOT / "Examples/GooglyPuff"
PROGRAM = PACKAGE / ".build/release/GooglyPuff"
PHOTOS = PACKAGE / "Photos"

# The number of different pixels of two pictures, drawn at one size.
DIFFERENT = """
const [one, other, done] = arguments;
const pixels = async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width: 128, height: 128});
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0, 128, 128);
  return [image.naturalWidth, image.naturalHeight, context.getImageData(0, 0, 128, 128).data];
};
Promise.all([pixels(one), pixels(other)]).then(([[w1, h1, a], [w2, h2, b]]) => {
  let different = 0;
  for (let at = 0; at < a.length; at += 4) {
    if (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2]) > 60) different++;
  }
  done([[w1, h1], [w2, h2], different]);
}, (error) => done(String(error)));
"""


class Whole(unittest.TestCase):
    def setUp(self):
        self.browser = Browser.get()
        self.browser.console()
        script = self.browser.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": FAULTS})["identifier"]
        self.addCleanup(self.browser.driver.execute_cdp_cmd,
                        "Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
        self.addCleanup(self.browser.driver.get, "about:blank")

    def start(self):
        folder = tempfile.TemporaryDirectory(prefix="signalbox-whole-")
        self.addCleanup(folder.cleanup)
        process = subprocess.Popen([PROGRAM, "serve"], cwd=folder.name, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   env={**os.environ, "TMPDIR": folder.name})
        self.addCleanup(process.stdout.close)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        for line in process.stdout:
            found = re.search(r"GooglyPuff: (http://127\.0\.0\.1:\d+/)", line)
            if found:
                return process, found[1]
        self.fail("it did not say its address")

    def card(self, name):
        """The number of the photo with this name, once it is shown."""
        return self.browser.until(
            "[...document.querySelectorAll('.card')].find((card) => card.querySelector('.card-name')"
            ".textContent === arguments[0])?.dataset.id ?? null", name)

    def picture(self, name):
        self.browser.driver.save_screenshot(str(OUT / f"googly-whole-{name}.png"))

    def test_from_start_to_end(self):
        browser = self.browser
        process, address = self.start()
        self.assertEqual(urllib.request.urlopen(address + "healthz", timeout=PATIENCE).read(), b"ok")

        # The page is empty; after a second it says what to do.
        browser.driver.get(address)
        browser.until("document.querySelector('.prompt-text')?.textContent === "
                      "'Add photos with faces to Googlyify them!'")
        self.picture("prompt")

        # Uploads a photo from disk.
        browser.find("#picker").send_keys(str(PHOTOS / "astronaut.png"))
        astronaut = self.card("astronaut.png")
        browser.until("!document.querySelector('.prompt-text')")

        # The detail view shows the original at once, then the eyes.
        browser.click(f'.card[data-id="{astronaut}"] .card-link')
        browser.until("document.querySelector('.original.shown')?.naturalWidth === 512")
        browser.until("document.querySelector('.result.shown')?.naturalWidth === 512")
        self.assertEqual(browser.text("#detail-status"), "Googly eyes on 1 face")
        self.assertIn("512 × 512", browser.text("#detail-facts"))
        one, other, different = browser.driver.execute_async_script(
            DIFFERENT, f"/photos/{astronaut}/original", f"/photos/{astronaut}/googly")
        self.assertEqual((one, other), ([512, 512], [512, 512]))
        self.assertTrue(0 < different < 128 * 128 / 5, different)
        original = urllib.request.urlopen(f"{address}photos/{astronaut}/original", timeout=PATIENCE).read()
        self.assertEqual(hashlib.sha256(original).digest(),
                         hashlib.sha256((PHOTOS / "astronaut.png").read_bytes()).digest())
        browser.until("document.querySelector('.result').getAnimations().length === 0")
        self.picture("detail")
        browser.press(Keys.ESCAPE)
        browser.until("!document.getElementById('detail').open")
        browser.until("document.querySelector(arguments[0])?.textContent === '1 face'",
                      f'.card[data-id="{astronaut}"] .word')

        # Le Internet without configured addresses, and the notice when all photos have arrived.
        self.assertIn("own small server", browser.find("#internet").get_attribute("title"))
        browser.click("#internet")
        browser.until("document.getElementById('downloads-text').textContent.startsWith('Le Internet')")
        self.picture("downloads")
        browser.until("document.querySelector('.toast[data-kind=notice] p')?.textContent.length > 0")
        notice = browser.text(".toast[data-kind=notice] p")
        self.assertRegex(notice, "5 photos came, 1 failed")
        cat = self.card("chelsea.png")
        browser.until("document.querySelectorAll('.card[data-kind=failed]').length === 1")
        self.picture("internet")
        browser.click(".toast[data-kind=notice] .icon")

        # A photo without a face.
        browser.click(f'.card[data-id="{cat}"] .card-link')
        browser.until("document.getElementById('detail-status').textContent.startsWith('No face')")
        # Of a photo that is gone, the server has no picture.
        browser.until("document.querySelector('.original.shown')?.naturalWidth > 0")
        browser.press(Keys.DELETE)
        browser.press(Keys.ESCAPE)
        browser.until("!document.getElementById('detail').open")
        browser.click(".toast[data-kind=removal] .icon")
        browser.until("fetch('/state').then((answer) => answer.json())"
                      ".then(({photos}) => photos.every(({id}) => id !== arguments[0]))", int(cat))

        # The main queue was measured all the time.
        browser.until("Number(document.getElementById('answers-samples').textContent"
                      ".replace(',', '')) > 0")
        self.assertIn("ms", browser.text("#answers-line"))

        # One click shows what just happened.
        browser.click("#timeline")
        page = browser.other_window()
        browser.until("document.documentElement.dataset.state === 'complete'")
        names = browser.value("Signalbox.page.names.queues")
        self.assertTrue(any(name.startswith("GooglyPuff") for name in names), names)
        browser.driver.save_screenshot(str(OUT / "googly-whole-timeline.png"))
        browser.driver.close()
        browser.driver.switch_to.window(page)
        self.assertEqual(browser.value("window.faults"), [])
        self.assertEqual(browser.console(), [])

        # The program ends cleanly, and says so.
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        browser.until("document.documentElement.dataset.connection === 'ended'")
        self.picture("ended")


if __name__ == "__main__":
    unittest.main()
