"""Programs that contain Swift's runtime work in each way of building them, and are no larger than promised."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import place

TOOL = place.ROOT / ".build/debug/signalbox"
# What a product adds to a program's code at most, in bytes.
BUDGETS = {"DispatchAlone": 2_000_000, "CoreAlone": 1_500_000}


class Ways:
    """The tests of one way."""

    way = None

    @classmethod
    def setUpClass(cls):
        place.build(cls.way)

    def test_queues_tasks_and_the_main_actor_work(self):
        for name in ("StaticallyLinked", "DispatchAlone", "CoreAlone"):
            ended = place.run(self.way, name)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "done\n", ""), name)

    def test_a_deadlock_is_found(self):
        for name in ("StaticallyLinked", "CoreAlone"):
            ended = place.run(self.way, name, "deadlock")
            self.assertNotEqual(ended.returncode, 0)
            for words in ("deadlock: ", '"first"', '"second"'):
                self.assertIn(words, ended.stderr, name)

    def test_it_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "story.json")
            ended = place.run(self.way, "StaticallyLinked", SIGNALBOX_TRACE=str(path))
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "done\n", ""))
            story = json.loads(path.read_text())
            self.assertIn("org.example.static", story["strings"])
            self.assertGreater(len(story["items"]["queue"]), 1_000)

    def test_it_is_reported_from_outside(self):
        program = place.start(self.way, "CoreAlone", "deadlock", SIGNALBOX_ON_MISUSE="report")
        try:
            # The deadlock is reported once it is there, and the program goes on.
            self.assertIn("deadlock: ", program.stderr.readline())
            report = subprocess.run([TOOL, "report", str(program.pid)], capture_output=True, text=True)
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertTrue(report.stdout.startswith("deadlock: "), report.stdout)
            for words in ('"first"', '"second"', "names of some functions of CoreAlone"):
                self.assertIn(words, report.stdout)
        finally:
            program.kill()
            program.communicate()

    def test_it_is_as_small_as_promised(self):
        nothing = place.text_size(self.way, "Nothing")
        added = {name: place.text_size(self.way, name) - nothing for name in BUDGETS}
        print(f"{self.way}: " + ", ".join(f"{name} adds {size:,} bytes of code" for name, size in added.items()))
        for name, size in added.items():
            self.assertLessEqual(size, BUDGETS[name], name)


for way in place.WAYS:
    name = way.title().replace("-", "")
    globals()[name] = type(name, (Ways, unittest.TestCase), {"way": way})


if __name__ == "__main__":
    unittest.main()
