"""Loads a server of Tests/Soak for hours, and judges whether it stays as it was."""
