"""What is counted of a program whose accesses to memory are known."""
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

from transfers.counts import MOVES, RMW  # noqa: E402
from transfers.symbols import Symbols  # noqa: E402
from transfers.toolchain import tool  # noqa: E402

SOURCES = ROOT / "Benchmarks/Sources/CAccessCounts"
TURNS = 500
# A thread that is preempted in the middle of a turn changes nothing, because the other one waits.
NONE = dict.fromkeys(MOVES, 0)


class KnownProgram:
    """Built as what is counted is: instrumented, and linked with the counting functions."""

    def __init__(self, folder, flags=("-fsanitize=thread",)):
        self.file = pathlib.Path(folder, "known")
        clang = tool("clang")
        objects = []
        for source in [pathlib.Path(__file__).with_name("known.c"), *SOURCES.glob("*.c")]:
            objects.append(pathlib.Path(folder, source.stem + ".o"))
            subprocess.run([clang, "-g", "-O1", "-fPIE", "-Wall", "-Wextra", "-Werror", *flags,
                            "-I", SOURCES / "include", "-c", source, "-o", objects[-1]], check=True)
        subprocess.run([clang, "-pie", *objects, "-lpthread", "-ldl", "-o", self.file], check=True)
        self.symbols = Symbols(str(self.file))

    def text(self, scenario):
        return subprocess.run([self.file, scenario, str(TURNS)], stdout=subprocess.PIPE, text=True,
                              check=True, timeout=300).stdout

    def sites(self, scenario):
        """Of each instruction the function, the line that moved, how often, and the counts."""
        columns, *sites, lost = self.text(scenario).splitlines()
        assert lost == "lost 0", lost
        rows = [site.split() for site in sites]
        self.symbols.learn(row[1] for row in rows)
        for row in rows:
            # What the C library does by itself has no name here.
            frames = self.symbols.frames([row[1]])
            yield (frames[0].function if frames else "-", row[3], int(row[4]),
                   Counter(dict(zip(columns.split()[1:], map(int, row[5:]), strict=True))))

    def counts(self, scenario):
        """What each function did, by its name."""
        found = {}
        for function, _, _, counts in self.sites(scenario):
            found.setdefault(function, Counter()).update(counts)
        return found


@unittest.skipUnless(platform.machine() == "x86_64",
                     "elsewhere addresses may be wider than the table of lines")
class CountedTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = KnownProgram(cls.folder.name)

    def moves(self, counts):
        return {move: counts[move] for move in MOVES}

    def test_each_access_of_one_thread_is_counted_once_and_moves_nothing(self):
        counts = self.program.counts("alone")
        for function, access, times in (
                ("read_word", "read", 1), ("exchange", "exchange", 1), ("add", "exchange", 1),
                ("load", "load", 1), ("store", "store", 1), ("swap", "swap", 1),
                ("fail_to_swap", "failed-swap", 1), ("write_word", "write", 4),
                ("allocate", "allocate", 1), ("allocate", "free", 1)):
            with self.subTest(function=function, access=access):
                self.assertEqual(counts[function][access], times * TURNS)
                self.assertEqual(self.moves(counts[function]), NONE)
        self.assertEqual(sum(counts[name][each] for name in ("load", "store", "read_word", "write_word")
                             for each in RMW), 0)
        self.assertEqual((counts["copy"]["write"], counts["copy"]["read"] >= 1), (1, True))

    def test_accesses_of_each_width_are_counted(self):
        counts = self.program.counts("widths")
        for function in ("touch8", "touch16", "touch32", "touch64"):
            with self.subTest(function=function):
                self.assertEqual(
                    {name: number // TURNS for name, number in counts[function].items() if number},
                    {"write": 1, "read": 1, "store": 1, "load": 1, "exchange": 7, "swap": 1,
                     "failed-swap": 1})
        # One read is of the size.
        self.assertEqual((counts["move"]["write"], counts["move"]["read"]), (TURNS, 2 * TURNS))
        self.assertEqual(counts["set"]["write"], TURNS)

    def test_each_write_of_two_threads_in_turn_claims_the_line(self):
        counts = self.program.counts("writers")["write_word"]
        self.assertEqual(counts["write"], 2 * TURNS)
        # The first one claims it from nobody.
        self.assertEqual(self.moves(counts), {**NONE, "claimed": 2 * TURNS - 1})

    def test_two_words_of_one_line_move_together(self):
        counts = self.program.counts("neighbours")
        self.assertEqual(counts["write_word"]["claimed"] + counts["write_second"]["claimed"], 2 * TURNS - 1)

    def test_the_line_that_moves_is_known(self):
        moved = Counter()
        for function, line, moves, _ in self.program.sites("neighbours"):
            if function in ("write_word", "write_second"):
                moved[line] += moves
        self.assertEqual(list(moved.values()), [2 * TURNS - 1])

    def test_two_lines_do_not_move(self):
        counts = self.program.counts("apart")
        self.assertEqual(self.moves(counts["write_word"]), NONE)
        self.assertEqual(self.moves(counts["write_other"]), NONE)

    def test_only_the_first_read_after_a_write_fetches_and_the_next_write_recalls(self):
        counts = self.program.counts("reader")
        self.assertEqual(counts["read_word"]["read"], 3 * TURNS)
        self.assertEqual(self.moves(counts["read_word"]), {**NONE, "fetched": TURNS})
        self.assertEqual(self.moves(counts["write_word"]), {**NONE, "recalled": TURNS - 1})

    def test_a_write_takes_a_line_from_all_of_its_readers_at_once(self):
        counts = self.program.counts("readers")
        self.assertEqual(self.moves(counts["read_word"]), {**NONE, "fetched": 2 * TURNS})
        self.assertEqual(self.moves(counts["write_word"]), {**NONE, "recalled": TURNS - 1})

    def test_an_access_across_two_lines_moves_both_and_is_one_access(self):
        sites = [site for site in self.program.sites("across") if site[0] == "write_across"]
        moved = 2 * TURNS - 1
        self.assertEqual(sum(counts["write"] for _, _, _, counts in sites), 2 * TURNS)
        self.assertEqual(sum(counts["claimed"] for _, _, _, counts in sites), 2 * moved)
        self.assertEqual(sum(moves for _, _, moves, _ in sites), moved)
        self.assertEqual(len({line for _, line, _, _ in sites}), 1)

    def test_a_thread_gives_up_its_processor_at_each_atomic_operation_if_it_is_to(self):
        self.assertEqual(self.program.counts("interleaved")["sched_yield"]["write"], TURNS)
        self.assertNotIn("sched_yield", self.program.counts("alone"))

    def test_calls_for_which_there_is_no_room_are_reported(self):
        for scenario in ("deep", "wide"):
            with self.subTest(scenario=scenario):
                kind, number = self.program.text(scenario).splitlines()[-1].split()
                self.assertEqual((kind, int(number) > 0), ("lost", True))

    def test_exchanges_in_turn_are_counted_and_claim(self):
        counts = self.program.counts("exchangers")["exchange"]
        self.assertEqual(counts["exchange"], 2 * TURNS)
        # This one was written by the main thread before.
        self.assertEqual(self.moves(counts), {**NONE, "claimed": 2 * TURNS})

    def test_nothing_is_counted_before_the_beginning_or_after_the_end(self):
        self.assertNotIn("write_word", self.program.counts("stopped"))

    def test_a_program_without_instrumentation_knows_it(self):
        with tempfile.TemporaryDirectory() as folder:
            program = KnownProgram(folder, flags=())
            self.assertEqual(subprocess.run([program.file, "alone", "1"]).returncode, os.EX_DATAERR)
            self.assertEqual(subprocess.run([program.file]).returncode, os.EX_USAGE)

    def test_callers_are_told_apart(self):
        callers = Counter()
        for line in self.program.text("alone").splitlines():
            kind, *words = line.split()
            if kind != "site":
                continue
            addresses = [words[0], *words[1].split(",")]
            self.program.symbols.learn(addresses)
            names = [frame.function for frame in self.program.symbols.frames(addresses)]
            if names[0] == "write_word":
                callers[names[1]] += int(words[5])
        self.assertEqual(callers, {"alone": TURNS, "through_one": TURNS, "through_another": 2 * TURNS})
