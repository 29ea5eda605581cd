"""A user without privileges has no need of any."""
import unittest

from limited_case import LimitedCase
from limits import unprivileged


class Users(LimitedCase):
    def test_a_user_without_privileges_needs_none(self):
        self.expect_all(unprivileged())


if __name__ == "__main__":
    unittest.main()
