"""The page's counts agree with a plain count in Python."""
import json
import random
import unittest

from browser import Browser
from large_story import large_story
from story_builder import CUT, LIKELY, SYNC, StoryBuilder

SEEDS = range(3)


def rank(values, hundredths):
    """The percentile by nearest rank."""
    return sorted(values)[-(-len(values) * hundredths // 100) - 1] if values else 0


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser.get()

    def items(self, story):
        return [dict(zip(story["items"], row), id=number)
                for number, row in enumerate(zip(*story["items"].values()))]

    def test_the_table_of_queues(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                story = large_story(3_000, seed, queues=7, workers=3).story()
                self.browser.open(json.dumps(story))
                shown = self.browser.value(
                    "Signalbox.page.statistics().queues.map((row) => [row.items, row.sync, "
                    "row.waiting.total, row.waiting.median, row.waiting.p99, row.waiting.longest, "
                    "row.running.total, row.running.p99, row.greatestDepth, row.blocked])")
                items = self.items(story)
                waits = list(zip(*story["waits"].values()))
                for queue, row in enumerate(shown):
                    own = [item for item in items if item["queue"] == queue]
                    waited = [item["started"] - item["submitted"] for item in own]
                    ran = [item["finished"] - item["started"] for item in own]
                    ids = {item["id"] for item in own}
                    blocked = sum(wait[2] - wait[1] for wait in waits if wait[8] in ids)
                    self.assertEqual(row, [
                        len(own), sum(1 for item in own if item["flags"] & SYNC), sum(waited),
                        rank(waited, 50), rank(waited, 99), max(waited, default=0), sum(ran),
                        rank(ran, 99), self.depth(own), blocked])

    def test_what_is_not_over_counts_until_the_end_and_what_was_lost_does_not(self):
        s = StoryBuilder(duration=1_000)
        queue, thread = s.queue("q"), s.thread("t")
        s.item(queue, 0, 100, 200, thread, thread)
        s.item(queue, 100, 300, -1, thread, thread)
        s.item(queue, 400, -1, -1, thread)
        s.item(queue, 500, 510, -1, thread, thread, flags=CUT)
        s.item(queue, 500, -1, -1, thread, flags=CUT)
        s.item(queue, 0, 900, 950, thread, thread, flags=LIKELY)
        s.item(queue, -1, 960, 970, -1, thread)
        self.browser.open(s.json())
        waited, ran, depth, unfinished = self.browser.value(
            "Signalbox.page.statistics().queues.map((row) => [[...row.waiting.sorted], "
            "[...row.running.sorted], row.greatestDepth, row.unfinished])[0]")
        self.assertEqual(waited, [10, 100, 200, 600])
        self.assertEqual(ran, [10, 50, 100, 700])
        self.assertEqual((depth, unfinished), (2, 2))
        for number, words in ((3, "its end was lost"), (4, "Its start was lost")):
            self.browser.run("Signalbox.page.timeline.choose({kind: 'item', id: arguments[0]}, {show: true})",
                             number)
            self.browser.settled()
            self.assertIn(words, self.browser.text("#story-panel"))

    def depth(self, items):
        """The most that waited at one time; one leaves before another comes."""
        return max((sum(1 for other in items if other["submitted"] <= item["submitted"]
                        < other["started"]) for item in items), default=0)

    def test_what_an_item_waited_behind(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                story = large_story(1_500, seed, queues=5, workers=3).story()
                self.browser.open(json.dumps(story))
                items = self.items(story)
                shown = self.browser.value(
                    "Array.from({length: Signalbox.page.story.items.count}, (_, id) => "
                    "Signalbox.page.story.relations.behind(id, 1e9).found)")
                for item, found in zip(items, shown):
                    self.assertEqual(sorted(found), [
                        other["id"] for other in items if other["queue"] == item["queue"]
                        and other["started"] < item["started"]
                        and other["finished"] > item["submitted"]])

    def test_the_shares_of_threads(self):
        """Compares with a plain count over every unit of a short time."""
        for seed in SEEDS:
            dice = random.Random(seed)
            s = StoryBuilder(duration=400)
            queue, lock = s.queue("q"), s.object("lock")
            threads = [s.thread(f"t{number}") for number in range(3)]
            state = {}
            for thread in threads:
                at = 0
                while at < 380:
                    begin, end = at + dice.randrange(5), at + 6 + dice.randrange(30)
                    end = min(end, 400)
                    kind = dice.choice(["item", "item", "parked", "wait"])
                    cells = state.setdefault(thread, ["other"] * 400)
                    if kind == "parked":
                        s.add("parked", thread=thread, began=begin, ended=end)
                        cells[begin:end] = ["idle"] * (end - begin)
                    elif kind == "wait":
                        s.wait(thread, begin, end, "for", object=lock)
                        cells[begin:end] = ["blocked"] * (end - begin)
                    else:
                        item = s.item(queue, begin, begin, end, thread, thread)
                        cells[begin:end] = ["running"] * (end - begin)
                        if end - begin > 8:
                            inner = s.item(queue, begin + 1, begin + 2, end - 2, thread, thread,
                                           within=item, flags=SYNC)
                            s.wait(thread, begin + 3, begin + 6, "for", object=lock, item=inner)
                            cells[begin + 3:begin + 6] = ["blocked"] * 3
                    at = end
            self.browser.open(s.json())
            shown = self.browser.value("Signalbox.page.statistics().threads.map((row) => "
                                       "[row.running, row.blocked, row.idle, row.other])")
            expected = [[state[thread].count(word) for word in ("running", "blocked", "idle", "other")]
                        for thread in threads]
            self.assertEqual(shown, expected, f"seed {seed}")

    def test_merging_loses_no_time_and_no_span(self):
        """At any zoom, single and merged drawings together show every span in view once."""
        self.browser.open(large_story(6_000, 5, queues=3, workers=2).json())
        wrong = self.browser.value("""(() => {
          const wrong = [];
          const { relations, end, threads } = Signalbox.page.story;
          for (let thread = 0; thread < threads.length; thread++) for (const row of relations.ranBy(thread).rows) {
            for (const part of [1, 3, 40, 900]) for (const shift of [0, 0.31, 0.77]) {
              const begin = end * shift, until = begin + end / part, pixel = end / part / 500;
              const seen = new Map();
              let calls = 0;
              row.visit(begin, until, pixel, (i) => { calls++; seen.set(i, (seen.get(i) ?? 0) + 1); },
                (first, after) => { calls++; for (let i = first; i < after; i++) seen.set(i, (seen.get(i) ?? 0) + 1); });
              let sum = 0;
              for (let i = 0; i < row.length; i++) {
                const inView = row.to[i] > begin && row.from[i] < until;
                if (inView !== (seen.get(i) === 1)) wrong.push([thread, part, shift, i, seen.get(i) ?? 0]);
                if (inView) sum += Math.min(until, row.to[i]) - Math.max(begin, row.from[i]);
              }
              if (Math.abs(sum - row.coverage(begin, until)) > 1) wrong.push(["coverage", thread, part, shift]);
              if (calls > 1500) wrong.push(["calls", calls]);
            }
          }
          return wrong.slice(0, 10);
        })()""")
        self.assertEqual(wrong, [])

    def test_the_greatest_depth_of_any_stretch(self):
        self.browser.open(large_story(4_000, 9, queues=2, workers=2).json())
        wrong = self.browser.value("""(() => {
          const wrong = [];
          const { story } = Signalbox.page;
          for (const { depth } of Signalbox.page.statistics().queues) {
            for (let k = 0; k < 300; k++) {
              const begin = story.end * ((k * 37) % 300) / 300, until = begin + story.end * ((k * 11) % 90) / 300;
              let most = depth.at(begin);
              for (let i = 0; i < depth.times.length; i++) {
                if (depth.times[i] >= begin && depth.times[i] < until) most = Math.max(most, depth.depths[i]);
              }
              if (most !== depth.greatestBetween(begin, until)) wrong.push([begin, until, most]);
            }
          }
          return wrong.slice(0, 10);
        })()""")
        self.assertEqual(wrong, [])

    def test_durations_and_steps_of_the_axis(self):
        self.browser.open(StoryBuilder().json())
        shown = self.browser.value("[0, 7, 999, 1000, 1234, 99940, 999999, 1500000, 12e9, 59.9e9, "
                                   "125e9, 3600e9, 3 * 3600e9 + 120e9, -5000].map(Signalbox.duration)")
        self.assertEqual([each.replace("\u00a0", " ") for each in shown], [
            "0 ns", "7 ns", "999 ns", "1 µs", "1.23 µs", "99.9 µs", "1 ms", "1.5 ms", "12 s",
            "59.9 s", "2 min 5 s", "1 h", "3 h 2 min", "−5 µs"])
        steps = self.browser.value("[1, 3, 7, 11, 900, 1000, 1001, 2.1e8, 1.1e9, 16e9, 50e9, 4e12, "
                                   "1e15].map(Signalbox.roundStep)")
        self.assertEqual(steps, [1, 5, 10, 20, 1000, 1000, 2000, 500_000_000, 2_000_000_000,
                                 30_000_000_000, 60_000_000_000, 7_200_000_000_000,
                                 1_036_800_000_000_000])


if __name__ == "__main__":
    unittest.main()
