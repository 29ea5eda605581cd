"""What a screen reader announces, and what can have the focus."""
import collections
import unittest

import scenes
from browser import Browser, Keys

ACTED_UPON = {"button", "searchbox", "textbox", "link", "combobox", "tab", "splitter", "application"}


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def setUp(self):
        self.browser.open(scenes.photos().json())
        self.browser.settled()

    def tree(self):
        nodes = self.browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored")]

    def test_everything_that_can_be_acted_upon_has_a_name(self):
        self.browser.press("w")
        tree = self.tree()
        self.assertEqual([node for node in tree if node[0] in ACTED_UPON and not node[1].strip()], [])
        found = collections.Counter(role for role, _ in tree)
        for role in ("button", "tab", "tablist", "table", "status", "banner"):
            self.assertGreater(found[role], 0, role)
        self.assertIn(("heading", "goofy.jpg"), tree)

    def test_no_two_elements_have_one_name(self):
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('[id]')].map((each) => each.id)"
            ".filter((id, i, all) => all.indexOf(id) !== i)"), [])

    def test_names_that_are_referred_to_exist(self):
        self.browser.press("w")
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-controls]')]"
            ".flatMap((each) => ['aria-labelledby', 'aria-describedby', 'aria-controls']"
            ".map((name) => each.getAttribute(name)).filter((id) => id))"
            ".filter((id) => !document.getElementById(id))"), [])

    def test_the_focus_is_visible(self):
        self.browser.run("document.getElementById('search').focus()")
        for _ in range(25):
            self.browser.press(Keys.TAB)
            style = self.browser.value(
                "[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle, "
                "getComputedStyle(document.activeElement).outlineWidth]")
            if style[0] != "BODY":
                self.assertEqual(style[1:], ["solid", "2px"], style)

    def test_the_chosen_item_is_framed_on_the_canvas(self):
        """The picture shows the frame of keyboard navigation in the colour of the focus."""
        accent = self.browser.value(
            "(() => { const probe = document.createElement('i'); "
            "probe.style.color = 'var(--accent)'; document.body.append(probe); "
            "const colour = getComputedStyle(probe).color.match(/\\d+/g).map(Number); "
            "probe.remove(); return colour })()")
        count = ("(() => { const canvas = document.getElementById('canvas'); const { data } = "
                 "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); "
                 "let found = 0; for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - "
                 "arguments[0][0]) + Math.abs(data[i + 1] - arguments[0][1]) + Math.abs(data[i + 2] "
                 "- arguments[0][2]) < 12) found++; return found })()")
        self.assertEqual(self.browser.value(count, accent), 0)
        self.browser.press("w")
        self.browser.settled()
        self.assertGreater(self.browser.value(count, accent), 300)


if __name__ == "__main__":
    unittest.main()
