"""Programs that are built with a sanitizer, on our library, which is not."""
import pathlib
import subprocess
import tempfile
import unittest

from place import LIBRARY, compiled, on_ours, parts

PROGRAMS = pathlib.Path(__file__).parent / "Programs"
# ThreadSanitizer knows what these functions order, because it has functions of its own in their
# place. It has none for finalizers, deallocators, handlers that are functions, and blocks that are
# waited for. The tests of Tests/DropIn use those: there the library is built with the sanitizer.
ORDERED = ("queue", "group", "semaphore", "once", "time", "transform", "process")
# A child may have threads of its own, and nobody waits for other threads at the end.
OPTIONS = {"TSAN_OPTIONS": "die_after_fork=0:atexit_sleep_ms=0", "ASAN_OPTIONS": "detect_leaks=1"}


class Sanitized(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.temporary.cleanup()

    def built(self, name, sanitizer, *sources):
        return compiled(self.temporary.name, name, *sources, "-g", f"-fsanitize={sanitizer}",
                        # The linker warns of the sanitizer's names.
                        "-fuse-ld=lld", "-L", LIBRARY.parent)

    def expect_silence(self, program, *arguments):
        with self.subTest(arguments):
            done = on_ours(program, *arguments, **OPTIONS)
            self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
            self.assertNotIn("Sanitizer", done.stderr)

    def test_no_memory_is_misused_or_lost(self):
        program = self.built("parts", "address", *parts("*"))
        for part in (path.stem for path in parts("[!m]*")):
            self.expect_silence(program, part)

    def test_what_is_in_order_is_not_reported(self):
        program = self.built("parts", "thread", *parts("*"))
        for part in ORDERED:
            self.expect_silence(program, part)
        sharing = self.built("sharing", "thread", PROGRAMS / "sharing.c")
        for way in ("serial", "target", "handlers"):
            self.expect_silence(sharing, way)

    def test_what_runs_at_the_same_time_is_reported(self):
        sharing = self.built("sharing", "thread", PROGRAMS / "sharing.c")
        outcome = on_ours(sharing, "atOnce", **OPTIONS)
        self.assertIn("WARNING: ThreadSanitizer: data race", outcome.stderr)
        self.assertIn("change_at_once", outcome.stderr)

    def test_sync_of_a_swift_program_is_seen(self):
        program = pathlib.Path(self.temporary.name, "races")
        subprocess.run(["swiftc", "-sanitize=thread", "-o", program, PROGRAMS / "sync_races.swift"], check=True)
        self.expect_silence(program, "serial")
        outcome = on_ours(program, "atOnce", **OPTIONS)
        self.assertIn("WARNING: ThreadSanitizer: Swift access race", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
