"""The articles' pictures of the recorder's page: for profiling, a run of QueuePictures in which a
lock is held for long, with the longest blocked time chosen; for a livelock, with one of its two
items chosen; for GooglyPuff, its first and its last program.

  article_pictures.py    into Documentation/Signalbox.docc/Resources, light and dark"""
import os
import pathlib
import subprocess
import tempfile

from browser import ROOT, ActionBuilder, Browser
from recording import Recording

STEPS = ROOT / ".build/debug"
PROGRAM = ROOT / ".build/debug/QueuePictures"
PICTURES = ROOT / "Documentation/Signalbox.docc/Resources"


def choose(browser, page, name):
    """An item with this name, in the lane of its thread."""
    recording = Recording(page.with_suffix(".json"))
    item = next(each for each in recording.items if recording.name(each) == name)
    browser.run("Signalbox.page.timeline.show({kind: 'item', id: arguments[0]}, {fill: true})",
                item["id"])
    browser.click_thing("item", item["id"])
    # Move the pointer away, so that no words cover the lanes.
    corner = ActionBuilder(browser.driver, duration=0)
    corner.pointer_action.move_to_location(0, 0)
    corner.perform()


def take(browser, page, name, *keys, item=None):
    """Takes the picture in light and in dark."""
    browser.visit(page)
    browser.until("document.documentElement.dataset.state === 'complete'")
    for key in keys:
        browser.press(key)
    if item:
        choose(browser, page, item)
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
        browser.resize(1200, 960)
        subprocess.run([PROGRAM, "--tries", "20", folder, "livelock"], check=True)
        take(browser, pathlib.Path(folder, "livelock.html"), "livelock-page", item="Ada")
        browser.resize(1200, 660)
        for program, name in (("Starter", "googly-starter"), ("Step5", "googly-step5")):
            page = pathlib.Path(folder, f"{program}.html")
            subprocess.run([STEPS / program], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"SIGNALBOX_TRACE": str(page)})
            take(browser, page, name)


main()
