"""The pictures of the recorder's page in the articles: of profiling, a run of QueuePictures in which
a lock is held for long, with the longest time blocked chosen; of GooglyPuff, its first program and
its last.

  article_pictures.py    into Documentation/Signalbox.docc/Resources, light and dark"""
import os
import pathlib
import subprocess
import tempfile

from browser import ROOT, Browser

STEPS = ROOT / "Examples/GooglySteps/.build/debug"
PROGRAM = ROOT / "Examples/QueuePictures/.build/debug/QueuePictures"
PICTURES = ROOT / "Documentation/Signalbox.docc/Resources"


def take(browser, page, name, *keys):
    """Light, then dark."""
    browser.visit(page)
    browser.until("document.documentElement.dataset.state === 'complete'")
    for key in keys:
        browser.press(key)
    for theme, ending in (("light", ""), ("dark", "~dark")):
        if browser.value("document.documentElement.dataset.theme") != theme:
            browser.press("t")
        browser.settled()
        browser.driver.save_screenshot(str(PICTURES / f"{name}{ending}.png"))


def main():
    browser = Browser.get()
    with tempfile.TemporaryDirectory() as folder:
        browser.resize(1200, 860)
        subprocess.run([PROGRAM, "--tries", "20", folder, "lock-held"], check=True)
        take(browser, pathlib.Path(folder, "lock-held.html"), "profiling-page", "b")
        browser.resize(1200, 660)
        for program, name in (("Starter", "googly-starter"), ("Step5", "googly-step5")):
            page = pathlib.Path(folder, f"{program}.html")
            subprocess.run([STEPS / program], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"SIGNALBOX_TRACE": str(page)})
            take(browser, page, name)


main()
