"""The package's modules, in every combination and order in which a file or a module may import
them. The library must have been built: `make test` does so before."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from overrides import CLASSES, EXTENSIONS, SEALED, members, subclass
from uses import SEED, USES, orders, text

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))
from corpus_place import BUILT, MODES, MODULES, PARTS  # noqa: E402


def runtime_library():
    """The folder of the toolchain's modules."""
    said = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(json.loads(said)["paths"]["runtimeLibraryPaths"][0])


class ImportTests(unittest.TestCase):
    def compiler(self, mode, texts, *options):
        """Compiles a module of these files; a name that is found twice is an error."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, content in texts.items():
            pathlib.Path(folder.name, name).write_text(content)
        run = subprocess.run(["swiftc", "-swift-version", mode, "-suppress-warnings", *MODULES,
                              *options, *texts], cwd=folder.name, capture_output=True, text=True)
        errors = [line for line in run.stderr.splitlines() if "error:" in line]
        self.assertEqual((run.returncode, errors), (0, []), f"seed {SEED}: {run.stderr[-4000:]}")
        return pathlib.Path(folder.name)

    def check(self, mode, texts, *options):
        self.compiler(mode, texts, "-typecheck", "-module-name", "Imports", *options)

    def test_a_file_may_import_them_in_any_order(self):
        texts = {f"File{n}.swift": text(modules, n) for n, modules in enumerate(orders())}
        for mode in MODES:
            with self.subTest(mode=mode):
                self.check(mode, texts)

    def test_a_file_may_import_them_for_its_tests(self):
        pairs = [modules for modules in orders() if len(modules) == 2]
        texts = {f"File{n}.swift": text(pair, n, "@testable ") for n, pair in enumerate(pairs)}
        self.check("6", texts)

    def test_a_module_may_re_export_one_and_import_the_others(self):
        for exported in USES:
            texts = {f"File{n}.swift": text([module], n) for n, module in enumerate(USES)}
            texts["Exports.swift"] = f"@_exported import {exported}\n"
            texts["Without.swift"] = USES[exported].format(n="Without")
            with self.subTest(exported=exported):
                self.check("6", texts)

    def test_a_package_may_declare_autoreleasepool_for_linux(self):
        polyfill = ("public func autoreleasepool<T>(invoking body: () throws -> T) rethrows -> T {\n"
                    "  try body()\n}\n")
        use = "func use() -> Int { autoreleasepool { 1 } + autoreleasepool(invoking: { 2 }) }\n"
        for mode in MODES:
            with self.subTest(mode=mode):
                folder = self.compiler(mode, {"Polyfill.swift": polyfill}, "-emit-module", "-module-name", "Polyfill")
                imports = "import Polyfill\nimport SignalboxFoundation\n"
                self.check(mode, {"User.swift": imports + use}, "-I", str(folder))

    def test_a_library_may_have_a_type_of_a_name_of_ours(self):
        library = "public final class UnfairLock {\n  public init() {}\n  public func ofTheLibrary() {}\n}\n"
        uses = {"Chosen.swift": "import class UnfairLock.UnfairLock\n"
                "func chosen(_ lock: UnfairLock) { lock.ofTheLibrary() }\n",
                "Named.swift": "func named(_ lock: borrowing SignalboxFoundation.UnfairLock) { lock.lock() }\n"}
        for mode in MODES:
            with self.subTest(mode=mode):
                folder = self.compiler(mode, {"Library.swift": library}, "-emit-module", "-module-name", "UnfairLock")
                imports = "import SignalboxFoundation\nimport UnfairLock\n"
                self.check(mode, {name: imports + use for name, use in uses.items()}, "-I", str(folder))

    def test_fifty_files_of_all_forms_are_a_program(self):
        forms = list(orders())[::4][:48]
        texts = {f"File{n}.swift": text(modules, n) for n, modules in enumerate(forms)}
        texts["Exports.swift"] = "@_exported import SignalboxFoundation\n@_exported import SignalboxXCTest\n"
        texts["main.swift"] = "import SignalboxDispatch\nuseDispatch{0}()\nprint(\"done\")\n".format(
            next(n for n, modules in enumerate(forms) if "SignalboxDispatch" in modules))
        self.assertEqual(len(texts), 50)
        names = [*PARTS["Foundation"].split(), "SignalboxXCTest", "SignalboxFoundationNetworking",
                 "SignalboxConcurrency"]
        objects = [str(path) for name in names for path in sorted(BUILT.glob(f"{name}.build/**/*.o"))
                   if any((ROOT / "Sources" / name).rglob(path.stem))]
        for mode, option in [("5", "-Onone"), ("6", "-Onone"), ("5", "-O"), ("6", "-O")]:
            with self.subTest(mode=mode, option=option):
                folder = self.compiler(mode, texts, option, "-o", "fifty", *objects)
                run = subprocess.run([folder / "fifty"], capture_output=True, text=True, timeout=60)
                self.assertEqual((run.stdout, run.stderr, run.returncode), ("done\n", "", 0))

    def test_what_foundation_lets_one_override_can_be_overridden(self):
        with tempfile.TemporaryDirectory() as folder:
            found = members(folder)
        self.assertEqual([name for name in CLASSES if not found[name]], [])
        for mode in MODES:
            for name in CLASSES:
                texts = [f"import {module}\n" + subclass(name, found[name])
                         for module in ("Foundation", "SignalboxFoundation")]
                with self.subTest(mode=mode, name=name):
                    theirs, ours = (self.refusals(mode, text) for text in texts)
                    self.assertEqual(bool(theirs), name in SEALED)
                    self.assertEqual(ours, EXTENSIONS.get(name, []))

    def refusals(self, mode, text):
        """The members that cannot be overridden, sorted; a class that cannot have subclasses is one, too."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "Overrides.swift")
            path.write_text(text)
            run = subprocess.run(["swiftc", "-typecheck", "-swift-version", mode, "-suppress-warnings", *MODULES, path],
                                 capture_output=True, text=True)
        lines = re.findall(r"(?m)^\S+\.swift:(\d+):\d+: error:", run.stderr)
        self.assertEqual(bool(lines), bool(run.returncode), run.stderr)
        return sorted(re.search(r"(?:var|func|^class) `?(\w+)", text.splitlines()[int(line) - 1])[1]
                      for line in set(lines))

    def test_the_c_functions_say_what_stands_for_them(self):
        headers = runtime_library().parent / "dispatch"
        names = sorted({name for path in headers.glob("*.h")
                        for name in re.findall(r"\b(dispatch_\w+)\(", path.read_text())})
        theirs, ours = (self.words(module, names) for module in ("Dispatch", "SignalboxDispatch"))
        replaced = {name for name in names if "has been re" in theirs.get(name, "")}
        self.assertGreater(len(replaced), 40)
        self.assertEqual([name for name in replaced if "has been re" not in ours.get(name, "has been re")], [])

    def words(self, module, names):
        """What the compiler says of each name that it refuses."""
        text = "\n".join([f"import {module}", *(f"let _ = {name}" for name in names)])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "Names.swift")
            path.write_text(text)
            run = subprocess.run(["swiftc", "-typecheck", *MODULES, path], capture_output=True, text=True)
        return {names[int(line) - 2]: words
                for line, words in re.findall(r"(?m)^\S+\.swift:(\d+):\d+: error: (.*)$", run.stderr)}

    def test_every_name_of_xctest_is_brought(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["swift", "symbolgraph-extract", "-module-name", "XCTest", "-target",
                            "x86_64-unknown-linux-gnu", "-I", runtime_library(), "-output-dir", folder],
                           check=True, capture_output=True)
            graph = json.loads(pathlib.Path(folder, "XCTest.symbols.json").read_text())
        theirs = {symbol["names"]["title"].split("(")[0] for symbol in graph["symbols"]
                  if len(symbol["pathComponents"]) == 1}
        exports = (ROOT / "Sources/SignalboxXCTest/Exports.swift").read_text().splitlines()
        ours = {line.rsplit(".", 1)[1] for line in exports if " XCTest." in line}
        self.assertEqual(ours, theirs)


if __name__ == "__main__":
    unittest.main()
