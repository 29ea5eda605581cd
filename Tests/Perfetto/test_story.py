"""A recording's story and page, as other programs read them."""
import json
import pathlib
import re
import unittest

import image as recorded
from image import Image
from test_perfetto import exported

PAGE = pathlib.Path(__file__).parents[2] / "Sources/SignalboxTrace/Timeline/Page"
HOSTILE = ["</script><script>alert(1)</script>", "\"\\\n\r\t\0\x1b[2J\x7f\x85", "\u2028\u2029",
           "<!--", "@@story", "@@file index.html", "👨‍👩‍👧 é 画", "\u202egnp", "", "]]>&amp;"]


def hostile():
    image = Image(program="<b>&\"'")
    for index, label in enumerate(HOSTILE):
        image.name(recorded.QUEUE, index + 1, label)
        image.event(index + 1, 1, recorded.SUBMITTED, index + 1, 64)
    return image


class StoryTests(unittest.TestCase):
    def check(self, story):
        labels = [story["strings"][queue["label"]] for queue in story["queues"]]
        self.assertEqual(labels, HOSTILE)
        self.assertEqual(story["meta"]["program"], "<b>&\"'")
        self.assertEqual(story["items"]["submitted"], list(range(1, len(HOSTILE) + 1)))

    def test_labels_come_out_as_they_were(self):
        text = exported(hostile(), ".json").decode()
        self.check(json.loads(text))
        for character in text.replace("\n", ""):
            self.assertFalse(character == "<" or ord(character) in [*range(32), *range(127, 160),
                                                                    0x2028, 0x2029])

    def test_tables_have_columns_of_one_length(self):
        story = json.loads(exported(hostile(), ".json"))
        self.assertEqual((story["format"], story["version"]), ("signalbox-story", 1))
        self.assertEqual(list(story), [
            "format", "version", "meta", "strings", "threads", "queues", "objects", "items", "tasks",
            "waits", "parked", "timers", "steps", "passes", "holds", "marks", "intervals",
            "operations", "drains", "loops", "turns", "gaps", "advice"])
        for name in list(story)[7:-1]:
            self.assertEqual(len({len(column) for column in story[name].values()}), 1, name)

    def test_a_page_holds_its_story_and_ends_its_script_nowhere_else(self):
        page = exported(hostile(), ".html").decode()
        found = re.findall(r'<script id="story" type="application/json">\n(.*?)</script>', page, re.S)
        self.assertEqual(len(found), 1)
        self.check(json.loads(found[0]))
        self.assertNotRegex(page, r"(?m)^@@")
        for file in PAGE.iterdir():
            self.assertTrue(file.name == "index.html" or file.read_text() in page, file.name)
        empty = exported(Image(), ".html").decode()
        self.assertEqual(page.count("</script>"), empty.count("</script>"))


if __name__ == "__main__":
    unittest.main()
