"""The file itself: what it needs, and what it shows to others."""
import re
import subprocess
import unittest

from place import LIBRARY, TOOLCHAIN
from drop_in import ROOT, names, wanted_names


def dynamic(path):
    text = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\((NEEDED|SONAME|RUNPATH)\).*\[(.*)\]", text)


class File(unittest.TestCase):
    def test_it_has_the_toolchains_name_and_needs_little(self):
        entries = dynamic(LIBRARY)
        self.assertIn(("SONAME", "libdispatch.so"), entries)
        self.assertIn(("RUNPATH", "$ORIGIN/swift"), entries)
        needed = {value for kind, value in entries if kind == "NEEDED"}
        self.assertLessEqual({"libBlocksRuntime.so", "libswiftCore.so"}, needed)
        # No library of Swift's that needs libdispatch.so, and none for text.
        swift = {name for name in needed if name.startswith("libswift")}
        self.assertLessEqual(swift, {"libswiftCore.so", "libswiftGlibc.so", "libswiftSynchronization.so"})

    def test_what_it_needs_is_beside_it(self):
        for kind, name in dynamic(LIBRARY):
            if kind == "NEEDED" and (TOOLCHAIN / name).exists():
                self.assertTrue((LIBRARY.parent / "swift" / name).exists(), name)

    def test_it_exports_the_toolchains_names_and_no_others(self):
        exported = names("-D", str(LIBRARY))
        self.assertEqual(exported, wanted_names(exported))

    def test_its_data_has_the_toolchains_sizes(self):
        # A program that was linked with the toolchain's library may have a copy of each, of that size.
        def sizes(path):
            text = subprocess.run(["nm", "-DS", path], check=True, capture_output=True, text=True).stdout
            found = re.findall(r"^\w+ (\w+) [BDRV] ([^@\s]+)", text, re.M)
            return {name: int(size, 16) for size, name in found}

        ours, theirs = sizes(LIBRARY), sizes(TOOLCHAIN / "libdispatch.so")
        self.assertIn("_dispatch_main_q", theirs)
        self.assertEqual({name: ours.get(name) for name in theirs}, theirs)

    def test_no_program_can_take_a_part_of_the_engine(self):
        listed = subprocess.run(["nm", "-D", "-u", LIBRARY], check=True, capture_output=True, text=True)
        undefined = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
        ours = {name for name in undefined if re.match(r"cs[bd]_|\$s\d+Signalbox", name)}
        self.assertEqual(ours, set())

    def test_it_has_each_tracepoint(self):
        header = (ROOT / "Sources/CSignalbox/include/CSignalbox/tracepoints.h").read_text(encoding="utf-8")
        declared = re.findall(r"void csb_usdt_(\w+)\(", header)
        notes, sections = (subprocess.run(["readelf", option, LIBRARY], check=True, capture_output=True,
                                          text=True).stdout for option in ("-nW", "-SW"))
        found = re.findall(r"Provider: signalbox\n\s+Name: (\w+)\n"
                           r"\s+Location: 0x(\w+), Base: 0x(\w+), Semaphore: 0x(\w+)\n", notes)
        self.assertEqual(sorted(name for name, *_ in found), sorted(declared))
        places = {name: int(address, 16)
                  for name, address in re.findall(r"(\.probes|\.stapsdt\.base) +PROGBITS +(\w+)", sections)}
        for name, location, base, semaphore in found:
            self.assertNotEqual(int(location, 16), 0, name)
            self.assertEqual(int(base, 16), places[".stapsdt.base"], name)
            # The last two of the eight bytes that each probe tests.
            self.assertEqual(int(semaphore, 16), places[".probes"] + 6, name)


if __name__ == "__main__":
    unittest.main()
