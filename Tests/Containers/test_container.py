"""All limits at once, as a careful operator sets them."""
import unittest

import limits
from limited_case import THREADS, LimitedCase


class Containers(LimitedCase):
    def test_the_library_works_in_a_container_with_every_limit(self):
        command = [
            *self.group("memory", 64 << 20), *self.group("cpu", 50_000),
            # One more for the process that makes the container.
            *self.group("pids", THREADS + 1), *limits.unprivileged(),
            *limits.contained(limits.NO_SHARED_MEMORY, limits.NO_PROC, limits.READ_ONLY),
            *limits.NO_CAPABILITIES, *limits.few_descriptors(32), *limits.docker_calls()]
        self.expect_all(command, THREADS)


if __name__ == "__main__":
    unittest.main()
