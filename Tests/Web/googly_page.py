"""GooglyPuff's page in the browser, as its tests use it."""
import pathlib
import tempfile
import unittest

from selenium.webdriver.support.ui import WebDriverWait

from browser import OUT, PATIENCE, ActionChains, Browser, Keys
from googly_mock import GooglyMock

# A file that reaches the page by drag and drop or paste, made with the page's own means.
FILE_EVENT = """
const [type, name, kind, bytes, target] = arguments;
const data = new DataTransfer();
data.items.add(new File([new Uint8Array(bytes)], name, {type: kind}));
const event = type === 'paste'
  ? new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})
  : new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true});
document.body.dispatchEvent(event);
return event.defaultPrevented;
"""
# Violations of the policy are events, wherever else they are reported.
FAULTS = """
window.faults = [];
addEventListener('securitypolicyviolation', (event) =>
  faults.push(`${event.violatedDirective} ${event.blockedURI}`));
addEventListener('error', (event) => faults.push(event.message));
addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)));
// What goes by itself after some seconds goes when a test says so.
window.stays = [];
const later = window.setTimeout;
window.setTimeout = (call, delay, ...rest) =>
  delay === 6000 || delay === 9000 ? stays.push(call) : later(call, delay, ...rest);
"""


class GooglyPageTest(unittest.TestCase):
    """Gives each test a server and a page of its own, and checks that the page reports no
    errors."""
    # Errors that a test provokes: parts of messages that the browser itself writes to the console.
    provoked = ()

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()
        cls.script = cls.browser.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": FAULTS})["identifier"]

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.get("about:blank")
        cls.browser.driver.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", {"identifier": cls.script})

    def setUp(self):
        self.mock = GooglyMock().start()
        self.addCleanup(self.mock.stop)
        self.folder = tempfile.TemporaryDirectory(prefix="signalbox-googly-")
        self.addCleanup(self.folder.cleanup)
        self.browser.console()
        self.addCleanup(self.leave)

    def leave(self):
        faults = self.browser.value("window.faults ?? []")
        # A page that asks before it is left would delay the next test.
        self.browser.run("addEventListener('beforeunload', (event) => "
                         "event.stopImmediatePropagation(), true)")
        messages = [each for each in self.browser.console()
                    if not any(part in each for part in self.provoked)]
        self.browser.driver.get("about:blank")
        self.assertEqual((faults, messages), ([], []))

    def open(self, fragment=""):
        # What has the pointer on it stays: a notice, or the lines of uploads.
        self.browser.put_pointer_away()
        self.browser.driver.get(self.mock.address + fragment)
        self.browser.until("document.documentElement.dataset.state === 'live'")

    def add(self, *names, **fields):
        return [self.mock.add(name, **fields) for name in names]

    def file(self, name, data):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(data)
        return str(path)

    def pick(self, *paths):
        self.browser.find("#picker").send_keys("\n".join(paths))

    def bring(self, kind, name, data, media="image/png"):
        return self.browser.run(FILE_EVENT, kind, name, media, list(data))

    def until(self, expression, *arguments):
        return self.browser.until(expression, *arguments)

    def until_asked(self, method, path):
        """Waits until the server has received a request."""
        WebDriverWait(self.browser.driver, PATIENCE, 0.02).until(
            lambda _: (method, path) in self.mock.requests, f"never asked: {method} {path}")

    def until_kept(self, *numbers):
        """Waits until the server has these photos alone: it notes a request before it does what that
        asks for."""
        WebDriverWait(self.browser.driver, PATIENCE, 0.02).until(
            lambda _: list(self.mock.photos) == list(numbers), f"never alone: {numbers}")

    def until_thumbnail(self, number):
        """Waits until a card has its picture. Of a photo that is gone, the server has none."""
        self.until("document.querySelector(arguments[0])?.naturalWidth > 0", f"{self.card(number)} img")

    def card(self, number):
        return f'.card[data-id="{number}"]'

    def status(self, number):
        return self.browser.texts(f"{self.card(number)} .word")[0]

    def until_status(self, number, word):
        self.until("document.querySelector(arguments[0])?.textContent === arguments[1]",
                   f"{self.card(number)} .word", word)

    def shown(self):
        """The numbers of the cards, in order."""
        return self.browser.value(
            "[...document.querySelectorAll('.card')].map((card) => Number(card.dataset.id))")

    def until_shown(self, *numbers):
        self.until("JSON.stringify([...document.querySelectorAll('.card')].map((card) => "
                   "Number(card.dataset.id))) === JSON.stringify(arguments[0])", list(numbers))

    def focused(self):
        """The number of the card that has the focus."""
        return self.browser.value(
            "Number(document.activeElement?.closest('.card')?.dataset.id ?? NaN) || null")

    def let_time_pass(self):
        """Lets the seconds pass after which notices and finished uploads disappear by
        themselves."""
        self.browser.run("for (const call of stays.splice(0)) call()")

    def theme(self, name):
        if self.browser.value("document.documentElement.dataset.theme") != name:
            self.browser.run("document.getElementById('theme').click()")

    def picture(self, name):
        """Takes a picture for human eyes, in out/web, when everything is drawn."""
        self.until("[...document.images].every((image) => !image.src || image.complete || "
                   "image.getBoundingClientRect().top > innerHeight)")
        self.browser.run("for (const each of document.getAnimations()) "
                         "if (each.effect.getTiming().iterations !== Infinity) each.finish()")
        path = OUT / f"googly-app-{name}.png"
        self.browser.driver.save_screenshot(str(path))
        return path


__all__ = ["ActionChains", "GooglyPageTest", "Keys"]
