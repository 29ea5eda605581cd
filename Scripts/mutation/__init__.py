"""Weakens each ordering of the sources in turn, and sees what notices."""
