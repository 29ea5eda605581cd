"""The picture of the recorder's page in the article about profiling: a run of QueuePictures in which
a lock is held for long, with the longest time blocked chosen.

  article_pictures.py    into Documentation/Signalbox.docc/Resources, light and dark"""
import pathlib
import subprocess
import tempfile

from browser import ROOT, Browser

PROGRAM = ROOT / "Examples/QueuePictures/.build/debug/QueuePictures"
PICTURES = ROOT / "Documentation/Signalbox.docc/Resources"


def main():
    browser = Browser.get()
    browser.resize(1200, 860)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "--tries", "20", folder, "lock-held"], check=True)
        browser.visit(pathlib.Path(folder, "lock-held.html"))
        browser.until("document.documentElement.dataset.state === 'complete'")
        browser.press("b")
        for key, ending in (("", ""), ("t", "~dark")):
            browser.press(key)
            browser.settled()
            browser.driver.save_screenshot(str(PICTURES / f"profiling-page{ending}.png"))


main()
