"""One headless Chromium for all tests of the page, and what the tests do with it."""
import atexit
import pathlib
import tempfile
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "web"
LOADER = SourceFileLoader("assemble_page", str(ROOT / "Scripts/assemble-page"))
ASSEMBLE = module_from_spec(spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(ASSEMBLE)
# In seconds. Anything slower is stuck, however busy the machine is; no test waits for it to pass.
PATIENCE = 300


class Driver(Service):
    """The driver's program. It gets half a minute to start."""
    started = False

    def is_connectable(self):
        # The driver also asks at the end, when the program must be gone.
        if self.started:
            return super().is_connectable()
        last = time.monotonic() + PATIENCE
        while not super().is_connectable():
            self.assert_process_still_running()
            if time.monotonic() > last:
                return False
            time.sleep(0.05)
        self.started = True
        return True


class Browser:
    shared = None

    @classmethod
    def get(cls):
        if not cls.shared:
            cls.shared = cls()
            atexit.register(cls.quit)
        return cls.shared

    @classmethod
    def quit(cls):
        if cls.shared:
            cls.shared.driver.quit()
            cls.shared.folder.cleanup()
            cls.shared = None

    def __init__(self):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                         "--hide-scrollbars=false", "--force-device-scale-factor=1",
                         "--disable-background-networking"):
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.add_experimental_option("browserStartupTimeout", PATIENCE * 1000)
        # A browser that does not answer is an error, not an endless wait.
        RemoteConnection.set_timeout(2 * PATIENCE)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Driver("/usr/bin/chromedriver"), options=options)
        self.resize(1440, 960)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self.folder = tempfile.TemporaryDirectory(prefix="signalbox-web-")
        OUT.mkdir(parents=True, exist_ok=True)

    def resize(self, width, height):
        """Resizes the window, and waits until the page has the new size."""
        self.driver.set_window_size(width, height)
        self.until("window.outerWidth === arguments[0] && window.outerHeight === arguments[1]",
                   width, height)

    def open(self, json_text, name="page"):
        """Builds a page from a story's text and opens it from disk."""
        page = pathlib.Path(self.folder.name, f"{name}.html")
        page.write_text(ASSEMBLE.assembled(json_text), encoding="utf-8")
        self.visit(page)
        return page

    def visit(self, page):
        """Opens a page from disk."""
        self.console()
        self.put_pointer_away()
        self.driver.get(page.as_uri())
        self.until("document.documentElement.dataset.state !== undefined")

    def put_pointer_away(self):
        """Puts the pointer where nothing is under it: a page learns of it some time after opening."""
        corner = ActionBuilder(self.driver, duration=0)
        corner.pointer_action.move_to_location(0, 0)
        corner.perform()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def value(self, expression, *arguments):
        return self.run(f"return ({expression})", *arguments)

    def until(self, expression, *arguments):
        """Waits until a condition of the page holds."""
        return WebDriverWait(self.driver, PATIENCE, 0.02).until(
            lambda _: self.value(expression, *arguments), f"never came true: {expression}")

    def other_window(self):
        """Turns to a window that was just opened, and gives the one that was in use."""
        own = self.driver.current_window_handle
        WebDriverWait(self.driver, PATIENCE, 0.02).until(
            lambda _: len(self.driver.window_handles) > 1, "no window was opened")
        self.driver.switch_to.window(
            next(each for each in self.driver.window_handles if each != own))
        return own

    def settled(self):
        """Waits until nothing moves and everything requested is drawn."""
        self.until("!Signalbox.page.timeline.viewport.target && !Signalbox.page.timeline.drawRequest")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.value("document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def texts(self, selector):
        """All texts at once, whatever replaces the elements at the same time."""
        return self.value("[...document.querySelectorAll(arguments[0])].map((each) => "
                          "each.textContent)", selector)

    def click(self, selector):
        self.find(selector).click()

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def press_shifted(self, key):
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()

    def place(self, kind, number):
        """The place on the page where a thing is drawn."""
        self.settled()
        return self.value("Signalbox.page.timeline.placeOf({kind: arguments[0], id: arguments[1]})",
                          kind, number)

    def click_at(self, x, y):
        chain = ActionChains(self.driver)
        chain.w3c_actions.pointer_action.move_to_location(round(x), round(y))
        chain.w3c_actions.pointer_action.click()
        chain.perform()

    def click_thing(self, kind, number):
        place = self.place(kind, number)
        assert place, f"{kind} {number} is not in view"
        self.click_at(place["x"], place["y"])

    def chosen(self):
        return self.value("Signalbox.page.timeline.chosen && "
                          "[Signalbox.page.timeline.chosen.kind, Signalbox.page.timeline.chosen.id]")

    def view(self):
        self.settled()
        return self.value("[Signalbox.page.timeline.viewport.begin, "
                          "Signalbox.page.timeline.viewport.span]")

    def screenshot(self, name):
        self.settled()
        self.driver.save_screenshot(str(OUT / f"{name}.png"))

    def console(self):
        """The page's errors since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


__all__ = ["ActionBuilder", "ActionChains", "Browser", "Keys", "OUT", "PATIENCE", "POINTER_TOUCH", "ROOT"]
