"""GooglyPuff's page for every eye, hand and screen: names, focus, contrast, sizes, hostile names."""
import collections
import pathlib
import re
import unittest

from selenium.webdriver.support.ui import WebDriverWait

from browser import PATIENCE
from googly_mock import PAGE, POLICY, samples
from googly_page import GooglyPageTest, Keys
from test_access import ACTED_UPON
from test_colours import READABLE, contrast

INKS = [("ground", "ink"), ("ground", "soft"), ("card", "ink"), ("card", "soft"), ("card", "accent"),
        ("card", "bad"), ("card", "busy"), ("card", "wait"), ("sunken", "bad"), ("sunken", "ink"),
        ("ground", "accent"), ("ground", "bad"), ("ground", "busy"), ("ground", "wait"),
        ("accent", "accent-ink"), ("wait-ground", "wait")]
# Things that are not text: frames of controls, the focus, progress bars.
LINES = [("ground", "line-strong"), ("card", "line-strong"), ("ground", "focus"), ("card", "focus"),
         ("sunken", "busy")]
VISIBLE = 3
HOSTILE = ["<img src=x onerror=alert(1)>.png", "</script><script>alert(1)</script>", "photo\u202egnp.exe",
           "עברית مرحبا.png", "👩\u200d👩\u200d👧\u200d👦 🚦.jpg", "a" * 250, "line\u2028break\u0007.png",
           "  ", "&amp;quot;' onclick='alert(1)"]
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Access(GooglyPageTest):
    def setUp(self):
        super().setUp()
        self.first = samples(self.mock)
        self.mock.change(notice={"id": 1, "text": "1 photo came"})
        self.open()
        # The browser lays out cards, and tells of what is in them, no earlier than it draws them.
        self.until("performance.getEntriesByName('googly:first-drawing').length > 0")

    def tree(self):
        nodes = self.browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored")]

    def open_detail(self):
        self.browser.run("document.querySelector('.card-link').click()")
        self.until("document.querySelector('.result.shown')?.naturalWidth > 0")

    def test_everything_that_can_be_acted_upon_has_a_name(self):
        for prepare in (lambda: None, self.open_detail):
            prepare()
            tree = self.tree()
            self.assertEqual([node for node in tree
                              if node[0] in (*ACTED_UPON, "slider", "progressbar", "dialog")
                              and not node[1].strip()], [])
        found = collections.Counter(role for role, _ in tree)
        for role in ("button", "dialog", "slider", "heading", "status", "link"):
            self.assertGreater(found[role], 0, role)

    def test_a_card_says_its_name_and_state(self):
        def links(_):
            names = [name for role, name in self.tree() if role == "link"]
            return any("astronaut.png" in name and "1 face" in name for name in names)

        WebDriverWait(self.browser.driver, PATIENCE, 0.02).until(links, "no link names the astronaut")

    def test_behind_the_detail_nothing_can_be_reached(self):
        self.open_detail()
        for _ in range(14):
            self.browser.press(Keys.TAB)
            self.assertTrue(self.browser.value(
                "document.activeElement === document.body || Boolean(document.activeElement"
                ".closest('#detail, #corner'))"))

    def test_no_two_elements_have_one_name_and_those_referred_to_exist(self):
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('[id]')].map((each) => each.id)"
            ".filter((id, i, all) => all.indexOf(id) !== i)"), [])
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap((each) => "
            "[each.getAttribute('aria-labelledby'), each.getAttribute('aria-describedby')])"
            ".filter((id) => id && !document.getElementById(id))"), [])

    def test_the_focus_is_visible(self):
        for prepare in (lambda: None, self.open_detail):
            prepare()
            for _ in range(10):
                self.browser.press(Keys.TAB)
                style = self.browser.value(
                    "[document.activeElement.tagName, getComputedStyle(document.activeElement)"
                    ".outlineStyle, getComputedStyle(document.activeElement).outlineWidth]")
                if style[0] != "BODY":
                    self.assertEqual(style[1:], ["solid", "3px"], style)

    def test_everything_works_by_keyboard(self):
        self.browser.press("?")
        self.until("document.getElementById('help').open")
        self.assertIn("Undo", self.browser.text("#help"))
        self.browser.press(Keys.ESCAPE)
        self.until("!document.getElementById('help').open")
        theme = self.browser.value("document.documentElement.dataset.theme")
        self.browser.press("t")
        self.assertNotEqual(self.browser.value("document.documentElement.dataset.theme"), theme)
        self.browser.run("window.picked = 0; document.getElementById('picker').click = () => picked++")
        self.browser.press("a")
        self.assertEqual(self.browser.value("picked"), 1)

    def test_texts_and_lines_stand_out_in_both_themes(self):
        for theme in ("light", "dark"):
            self.theme(theme)
            for pairs, least in ((INKS, READABLE), (LINES, VISIBLE)):
                for ground, ink in pairs:
                    with self.subTest(theme=theme, ground=ground, ink=ink):
                        colours = [self.browser.value(
                            "getComputedStyle(document.documentElement).getPropertyValue('--' + "
                            "arguments[0]).trim()", name) for name in (ground, ink)]
                        self.assertGreaterEqual(contrast(*colours), least)

    def test_the_theme_is_the_systems_until_another_is_chosen_and_that_is_remembered(self):
        try:
            for scheme in ("dark", "light"):
                self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                    "features": [{"name": "prefers-color-scheme", "value": scheme}]})
                self.until("document.documentElement.dataset.theme === arguments[0]", scheme)
            self.browser.click("#theme")
            self.open()
            self.assertEqual(self.browser.value("document.documentElement.dataset.theme"), "dark")
            self.browser.click("#theme")
            self.assertIsNone(self.browser.value("localStorage.getItem('googlypuff-theme')"))
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_it_fits_narrow_and_wide_windows_and_looks_like_it(self):
        for width, height in ((360, 740), (768, 1024), (1440, 900), (2560, 1440)):
            self.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            try:
                for theme in ("light", "dark"):
                    self.theme(theme)
                    self.assertFalse(self.browser.value(WIDER), (width, theme))
                    self.picture(f"gallery-{width}-{theme}")
                self.open_detail()
                self.assertEqual(self.browser.value(
                    "[...document.querySelectorAll('#detail button, #detail a, #detail input, #picture')]"
                    ".filter((each) => each.offsetWidth > 0).map((each) => [each.id, "
                    "each.getBoundingClientRect()]).filter(([, box]) => box.left < 0 || "
                    "box.right > innerWidth + 1 || box.bottom > innerHeight + 1).map(([id]) => id)"), [])
                for theme in ("light", "dark"):
                    self.theme(theme)
                    self.picture(f"detail-{width}-{theme}")
                self.browser.press(Keys.ESCAPE)
                self.until("!document.getElementById('detail').open")
            finally:
                self.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


class Hostile(GooglyPageTest):
    def test_names_stay_text_on_one_line(self):
        self.add(*HOSTILE)
        for name in HOSTILE[:3]:
            self.mock.add(name, status="failed", error=f"because {name}")
        self.mock.change(notice={"id": 1, "text": HOSTILE[0]})
        self.open()
        self.assertEqual(self.browser.value("document.querySelectorAll('img[onerror], script:not([src]), "
                                            "[onclick], [style]:not(.picture)').length"), 0)
        self.assertEqual(self.browser.value("document.scripts.length"), 2)
        shown = self.browser.texts(".card-name")
        self.assertEqual(shown[0], HOSTILE[0])
        self.assertEqual(shown[2], "photognp.exe")
        self.assertEqual(shown[7], "(a photo without a name)")
        for name in [*shown, *self.browser.texts(".thumb-reason"), *self.browser.texts(".toast")]:
            self.assertNotRegex(name, "[\u0000-\u001f\u2028\u202a-\u202e\u2066-\u2069]")
        heights = self.browser.value("[...document.querySelectorAll('.card-name')].map((each) => each.offsetHeight)")
        # Letters of another font may be slightly taller; two lines would be twice as tall.
        self.assertLess(max(heights), 1.7 * min(heights))
        self.assertFalse(self.browser.value(WIDER))
        self.picture("hostile")
        for _ in HOSTILE:
            self.browser.press(Keys.HOME if _ == HOSTILE[0] else Keys.ARROW_RIGHT)
        self.browser.press(Keys.HOME, Keys.ENTER)
        self.until("document.getElementById('detail').open")
        for name in shown[1:]:
            self.browser.press(Keys.ARROW_RIGHT)
            self.assertEqual(self.browser.value("document.getElementById('detail-name').textContent"), name)

    def test_the_policy_is_strict_and_the_page_keeps_it(self):
        self.assertNotIn("unsafe", POLICY)
        index = (PAGE / "index.html").read_text(encoding="utf-8")
        # The index lists every module, so that the browser does not find one only after loading
        # another.
        modules = {each.name for each in PAGE.glob("*.js")} - {"page.js", "theme.js"}
        self.assertEqual(set(re.findall(r'modulepreload" href="(.*?)"', index)), modules)
        self.assertNotRegex(index, r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=")
        for path in [*PAGE.glob("*.js"), *PAGE.glob("*.css")]:
            text = path.read_text(encoding="utf-8")
            self.assertLess(len(text.splitlines()), 300, path)
            self.assertRegex(text.splitlines()[0], r"^(//|/\*) \S.* — \S", path)
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                         "Function(", "http://", "https://", "@import", "url("):
                if (path.name, word) != ("elements.js", "http://"):
                    self.assertNotIn(word, text, path)

    def test_every_file_is_asked_for(self):
        self.open()
        asked = {pathlib.PurePosixPath(path).name for _, path in self.mock.requests}
        files = {each.name for each in PAGE.iterdir()} - {"index.html", "icon.svg"}
        self.assertEqual(files - asked, set())
        self.assertTrue(all(re.fullmatch(r"[a-z-]+\.(js|css|html|svg)", each) for each in files), files)


if __name__ == "__main__":
    unittest.main()
