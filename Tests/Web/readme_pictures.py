"""The pictures of GooglyPuff in its README, taken from the program itself.

  readme_pictures.py    into Documentation/Pictures"""
import base64
import re
import signal
import subprocess

from browser import PATIENCE, ROOT, Browser

PACKAGE = ROOT / "Examples/GooglyPuff"
PROGRAM = PACKAGE / ".build/release/GooglyPuff"
PICTURES = ROOT / "Documentation/Pictures"


def started():
    """Starts the program with its own photos, and gives its address."""
    process = subprocess.Popen([PROGRAM, "serve", PACKAGE / "Photos"], text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    for line in process.stdout:
        found = re.search(r"GooglyPuff: (http://127\.0\.0\.1:\d+/)", line)
        if found:
            return process, found[1]
    raise SystemExit("GooglyPuff did not say its address")


def save(browser, name, form="png"):
    """The window's contents; photos are a fifth as large in JPEG."""
    options = {"format": form, "quality": 88} if form == "jpeg" else {"format": form}
    picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.{form}").write_bytes(base64.b64decode(picture))


def gallery(browser, address):
    """All photos, after the search for faces."""
    browser.resize(1200, 640)
    browser.driver.get(address)
    browser.until("document.querySelectorAll('.card[data-kind=ready]').length === 5")
    browser.run("for (const card of document.querySelectorAll('.card')) "
                "fetch(`/photos/${card.dataset.id}/work`, "
                "{method: 'POST', headers: {'X-GooglyPuff': '1'}})")
    browser.until("[...document.querySelectorAll('.word')].every((each) => /face/.test(each.textContent))")
    browser.until("[...document.images].every((image) => image.complete)")
    save(browser, "googlypuff-gallery", "jpeg")


def detail(browser):
    """The astronaut, after the result has faded in."""
    browser.resize(1200, 900)
    browser.click('.card[data-id="1"] .card-link')
    browser.until("document.querySelector('.result.shown')?.naturalWidth === 512")
    browser.until("document.querySelector('.result').getAnimations().length === 0")
    save(browser, "googlypuff-detail", "jpeg")
    browser.run("history.back()")
    browser.until("!document.getElementById('detail').open")


def timeline(browser, address):
    """What the program has done so far."""
    browser.resize(1440, 960)
    browser.driver.get(address + "timeline")
    browser.until("document.documentElement.dataset.state === 'complete'")
    browser.settled()
    save(browser, "googlypuff-timeline")


def main():
    browser = Browser.get()
    process, address = started()
    try:
        gallery(browser, address)
        detail(browser)
        timeline(browser, address)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


main()
