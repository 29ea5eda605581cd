"""Any program can choose its labels: none of them becomes markup, script or network traffic."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import scenes
from browser import Browser, ROOT

PAGE = ROOT / "Sources/SignalboxTrace/Timeline/Page"


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def elements(self):
        return self.browser.value("document.querySelectorAll('img, iframe, object, embed, "
                                  "link:not(head > [rel=icon]), form form, [onclick], [onerror]').length")

    def test_hostile_labels_stay_text_wherever_they_are_shown(self):
        self.browser.open(scenes.hostile().json())
        for tab in ("queues", "threads", "waits", "blocks"):
            self.browser.click(f"#tab-{tab}")
        for number in range(len(scenes.HOSTILE)):
            for kind in ("item", "wait", "mark", "interval", "queue", "thread"):
                self.browser.run("Signalbox.page.timeline.choose({kind: arguments[0], "
                                 "id: arguments[1]}, {show: true})", kind, number)
            place = self.browser.place("item", number)
            self.browser.click_at(place["x"], place["y"])
        self.browser.find("#search").send_keys("<img")
        self.browser.settled()
        self.assertIsNone(self.browser.value("window.broken ?? null"))
        self.assertEqual(self.elements(), 0)
        self.assertEqual(self.browser.value("document.scripts.length"), 2)
        self.assertEqual(self.browser.console(), [])

    def test_labels_are_shown_as_they_are_in_one_line(self):
        self.browser.open(scenes.hostile().json())
        names = self.browser.value("Signalbox.page.names.queues")
        self.assertEqual(names[0], scenes.HOSTILE[0])
        self.assertEqual(names[1], scenes.HOSTILE[1])
        self.assertEqual(names[5], "emoji 🚦👩\u200d👩\u200d👧\u200d👦")
        self.assertEqual(names[6], "עברית مرحبا")
        for name in names:
            self.assertNotRegex(name, "[\u0000-\u001f\u202a-\u202e\u2066-\u2069]")

    def test_the_policy_forbids_network_handlers_and_markup_from_text(self):
        self.browser.open(scenes.photos().json())
        policy = self.browser.find("meta[http-equiv]").get_attribute("content")
        for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'",
                     "require-trusted-types-for 'script'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        refused = self.browser.driver.execute_async_script(
            "const done = arguments[0];"
            "fetch('https://example.invalid/').then(() => done('fetched'), () => done('refused'))")
        self.assertEqual(refused, "refused")
        # Only pictures that the page itself contains are loaded.
        self.assertIn("img-src data:;", policy)
        self.assertEqual(self.browser.value(
            "(() => { try { document.body.innerHTML = '<b>'; return 'set' } "
            "catch { return 'refused' } })()"), "refused")
        self.assertEqual(self.browser.value(
            "(() => { try { document.body.setAttribute('onclick', 'window.broken = 1'); "
            "return 'set' } catch { return 'refused' } })()"), "refused")
        self.browser.console()

    def test_a_story_cannot_end_the_element_it_stands_in(self):
        with tempfile.TemporaryDirectory() as folder:
            story, page = Path(folder, "story.json"), Path(folder, "page.html")
            story.write_text(json.dumps({"x": "</script><script>alert(1)</script><!--"}))
            subprocess.run([sys.executable, ROOT / "Scripts/assemble-page", story, page], check=True)
            text = page.read_text(encoding="utf-8")
        block = re.search(r'<script id="story"[^>]*>\n(.*?)\n</script>', text, re.S)[1]
        self.assertNotIn("<", block)
        self.assertEqual(json.loads(block), {"x": "</script><script>alert(1)</script><!--"})

    def test_the_parts_of_the_page_can_stand_in_it(self):
        """No part ends its element early, uses the network, or turns text into markup."""
        for path in [*PAGE.glob("*.js"), *PAGE.glob("*.css")]:
            text = path.read_text(encoding="utf-8")
            self.assertTrue(text.endswith("\n"), path)
            self.assertLess(len(text.splitlines()), 300, path)
            for word in ("</script", "</style", "<!--", "innerHTML", "outerHTML", "http:", "https:",
                         "insertAdjacentHTML", "document.write", "eval(", "Function(", "@import",
                         "url(", "fetch(", "@@"):
                self.assertNotIn(word, text, path)

    def test_every_part_is_named_once_in_the_index(self):
        index = (PAGE / "index.html").read_text(encoding="utf-8")
        named = re.findall(r"^@@file (\S+)$", index, re.M)
        self.assertEqual(sorted(named), sorted(each.name for each in PAGE.glob("*.*s")
                                               if each.suffix in (".js", ".css")))


if __name__ == "__main__":
    unittest.main()
