"""One Swift or C source file, as the lint scripts read it: its header comment,
and its code and comments apart, line by line, without what literals hold."""
import pathlib
import re

LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')


class SourceFile:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lines = self.path.read_text(encoding="utf-8").splitlines()
        self.code, self.comments, in_text = [], [], False
        for line in self.lines:
            text = LITERAL.sub('""', line)
            code, slashes, comment = text.partition("//")
            self.code.append("" if in_text else code.rstrip())
            self.comments.append(comment if slashes and not in_text else "")
            in_text ^= text.count('"""') % 2 == 1

    def header(self):
        """The lines of the comment that opens the file."""
        for count, line in enumerate(self.lines):
            if not line.startswith("//"):
                return self.lines[:count]
        return self.lines

    def find(self, pattern):
        """Every place in the code that matches, as (line index, match)."""
        for index, code in enumerate(self.code):
            yield from ((index, match) for match in re.finditer(pattern, code))

    def is_comment(self, index):
        """Whether a line is a comment and nothing else."""
        return 0 <= index < len(self.lines) and self.comments[index] != "" and self.code[index] == ""


def sources(root, *folders, suffixes=(".swift", ".h", ".c", ".cpp")):
    """Every source file below some folders of the package at `root`."""
    for folder in folders:
        for path in sorted((pathlib.Path(root) / folder).rglob("*")):
            if path.suffix in suffixes and ".build" not in path.parts:
                yield SourceFile(path)
