"""What the tool makes of what was counted, and how it has code instrumented."""
import contextlib
import importlib.util
import io
import pathlib
import re
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

from transfers import page, paths  # noqa: E402
from transfers.counts import MOVES, RMW, Run  # noqa: E402
from transfers.symbols import Frame  # noqa: E402
from transfers.workloads import Row  # noqa: E402


def frame(place, folder="Sources/SignalboxRuntime"):
    file, function = place.split(".")
    return Frame(function, file, f"{ROOT}/{folder}/{file}.swift")


class Known:
    """Symbols whose addresses are the names themselves."""

    def learn(self, _):
        pass

    def frames(self, addresses):
        return [frame(address) for address in addresses if address != "-"]


def run(*sites, items=10):
    """What a run counted, whose numbers are those of `columns`."""
    columns = "columns swap fetched claimed recalled retain free"
    return Run("\n".join([columns, *sites, "lost 0"]), items, Known())


class PathTests(unittest.TestCase):

    def test_the_innermost_caller_with_a_path_decides(self):
        lock = frame("EngineLock.lock")
        outside = [frame("Pool.submit"), frame("DispatchQueue+Async.async")]
        self.assertEqual(paths.path([lock, *outside]), "schedule")
        self.assertEqual(paths.path([lock, frame("Pool+Idling.next"), *outside]), "take")
        self.assertEqual(paths.place([lock, *outside]), "EngineLock.lock")

    def test_functions_of_a_file_may_have_a_path_of_their_own(self):
        self.assertEqual(paths.path([frame("ClosureItem.make")]), "submit")
        self.assertEqual(paths.path([frame("ClosureItem.run")]), "serve")

    def test_the_programs_own_accesses_are_not_the_librarys(self):
        program = frame("Counter.arrive", "Benchmarks/Sources/count-transfers")
        serve = frame("DispatchQueue+Drain.run")
        self.assertEqual(paths.path([program, serve]), paths.PROGRAM)
        self.assertEqual(paths.path([serve, program]), "serve")
        self.assertEqual(paths.path([frame("Relaxed.load"), program]), paths.OTHER)

    def test_each_file_with_a_path_is_there(self):
        files = {file.stem for file in (ROOT / "Sources").rglob("*.swift")}
        self.assertEqual({place.split(".")[0] for place in paths.RULES} - files, set())

    def test_each_function_with_a_path_is_there(self):
        texts = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "Sources").rglob("*.swift")}
        named = [place.split(".") for place in paths.RULES if "." in place]
        missing = [f"{file}.{function}" for file, function in named
                   if not re.search(rf"\b(?:func|var|let) {function}\b", texts[file])]
        self.assertEqual(missing, [])

    def test_a_folder_around_the_package_may_have_any_name(self):
        around = Frame("take", "NodeCache", "/Benchmarks/Sources/NodeCache.swift")
        self.assertFalse(around.is_library or around.is_program)
        self.assertTrue(frame("NodeCache.take").is_library)

    def test_a_run_is_added_up_for_an_item(self):
        added = run("site NodeCache.take Pool.submit,- 40 4 10 0 4 0 0 0",
                    "site Pool.submit - 80 1 5 0 0 3 0 0")
        self.assertEqual((added.total(RMW), added.total(MOVES)), (1.5, 0.7))
        self.assertEqual(added.total(RMW, "nodes"), 1)
        self.assertEqual(added.lines["40"], {("nodes", "NodeCache.take"): 4})
        self.assertEqual(added.lines[None][("schedule", "Pool.submit")], 2)


class PageTests(unittest.TestCase):
    def tables(self):
        free = [run(f"site NodeCache.take - 40 0 {swaps} 0 0 0 20 10") for swaps in (10, 20, 40)]
        turns = [run("site NodeCache.take - 40 10 10 0 10 0 0 0", "site Pool.submit - 80 1 5 0 0 3 0 0")] * 3
        small = [run("site Pool.submit - 80 1 5 1 0 0 0 0", "site NodeCache.take - 80 1 5 1 0 0 0 0",
                     *(f"site Pool+Idling.f{n} - 80 1 0 1 0 0 0 0" for n in range(10)), items=100)] * 3
        return list(page.tables([[Row("both", 1, free, turns), Row("both", 2, free, turns)],
                                 [Row("little", 1, small, small)]]))

    def test_a_row_has_the_median_of_its_runs_with_the_least_and_the_most(self):
        self.assertIn("| both | 2 | 2.00 (1.00–4.00) | 2.00 | 0.00 | 1.00 | 1.50 | 0.00 | 1.30 |", self.tables())

    def test_a_workload_has_a_row_for_each_path_and_a_column_for_each_number_of_threads(self):
        lines = self.tables()
        first = lines.index("**both**\n")
        self.assertEqual(lines[first + 1:first + 6], [
            "| path | 1 thread | 2 threads |", "| --- | ---: | ---: |",
            "| schedule | 0.50 + 0.00; 0.30 | 0.50 + 0.00; 0.30 |",
            "| nodes | 1.00 + 0.00; 1.00 | 1.00 + 0.00; 1.00 |", ""])

    def test_what_moves_is_listed_by_line_and_what_is_of_several_lines_together(self):
        lines = self.tables()
        self.assertIn("| both | 2 | one | 1.00 | `NodeCache.take` (nodes) 1.00 |", lines)
        self.assertIn("| both | 2 | several | 0.20 | `Pool.submit` (schedule) 0.20 |", lines)

    def test_a_line_names_what_moves_it_most_even_if_that_is_little(self):
        row, = (line for line in self.tables() if line.startswith("| little | 1 | one |"))
        self.assertRegex(row, r"\| 0\.12 \| `[\w+.]+` \(\w+\) 0\.01 \|$")

    def test_the_paths_of_the_page_are_those_of_the_tool(self):
        lines = self.tables()
        self.assertIn("\n".join(lines[lines.index("\n### The paths\n"):]) + "\n" + page.END,
                      page.PAGE.read_text(encoding="utf-8"))

    def test_only_the_tables_of_the_page_are_written(self):
        old = page.PAGE
        with tempfile.TemporaryDirectory() as folder:
            page.PAGE = pathlib.Path(folder, "page.md")
            self.addCleanup(setattr, page, "PAGE", old)
            page.PAGE.write_text(f"before\n{page.BEGIN}old\n{page.END}after\n", encoding="utf-8")
            page.write("new")
            self.assertEqual(page.PAGE.read_text(encoding="utf-8"),
                             f"before\n{page.BEGIN}new\n{page.END}after\n")


class CompilerTests(unittest.TestCase):
    """The compiler that stands before Swift's: a program without an ending."""

    @classmethod
    def setUpClass(cls):
        loader = SourceFileLoader("counting_swiftc", str(ROOT / "Scripts/transfers/swiftc"))
        cls.compiler = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(cls.compiler)

    def test_all_functions_of_a_file_are_instrumented_once(self):
        text = ('define void @f() #0 {\n}\nattributes #0 = { nounwind "frame-pointer"="all" }\n'
                'attributes #1 = { sanitize_thread nounwind }\n!0 = !{!"attributes #2 = {"}\n')
        marked = self.compiler.marked(text)
        self.assertEqual(marked, text.replace("#0 = {", "#0 = { sanitize_thread"))
        self.assertEqual(self.compiler.marked(marked), marked)

    def test_operations_that_are_not_counted_are_found(self):
        for operation in ("umax", "volatile umin", "max", "min", "fadd", "uinc_wrap"):
            self.assertTrue(self.compiler.MISSED.search(f"%1 = atomicrmw {operation} ptr %0, i8 1 monotonic"))
        for operation in ("xchg", "add", "sub", "and", "or", "xor", "nand", "volatile add"):
            self.assertFalse(self.compiler.MISSED.search(f"%1 = atomicrmw {operation} ptr %0, i8 1 monotonic"))

    def test_an_object_file_calls_the_counting_functions(self):
        text = ('define i8 @f(ptr %0) #0 {\n  %2 = atomicrmw add ptr %0, i8 1 monotonic\n'
                '  %3 = atomicrmw umax ptr %0, i8 %2 monotonic\n  ret i8 %3\n}\n'
                'attributes #0 = { nounwind }\n')
        with tempfile.TemporaryDirectory() as folder:
            code, result = pathlib.Path(folder, "code.ll"), pathlib.Path(folder, "code.o")
            code.write_text(text, encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.compiler.instrument(str(code), str(result))
            self.assertIn("not counted: 1", said.getvalue())
            self.assertFalse(code.exists())
            names = re.findall(rb"__tsan_atomic8_\w+", result.read_bytes())
        self.assertEqual(names, [b"__tsan_atomic8_fetch_add"])
