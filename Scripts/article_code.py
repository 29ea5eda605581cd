"""Where the code of the documents is: blocks in Markdown, regions in tests that run it."""
import pathlib
import re
import textwrap

MARK = re.compile(r"^ *// (?:block: (\S.*)|end)$")
FOLDERS = ("Tests/ArticleTests", "Tests/ArticleProgram", "Examples/GooglySteps/Sources",
           "Examples/GooglySteps/Tests", "Tests/DropIn/Sources")
SAID = re.compile(r'"""\n(.*?)\n *"""', re.S)


def documents(root):
    for path in sorted(pathlib.Path(root).rglob("*.md")):
        if not {".build", "docs-out"} & set(path.relative_to(root).parts):
            yield path, path.read_text(encoding="utf-8")


def regions(root):
    """The code of each name, and where it stands."""
    found = {}
    for path in sorted(path for folder in FOLDERS for path in root.glob(f"{folder}/**/*.swift")
                       if not path.is_symlink()):
        name, lines = None, []
        for line in path.read_text(encoding="utf-8").splitlines():
            mark = MARK.match(line)
            if mark and name and not mark[1]:
                text = textwrap.dedent("\n".join(lines)).strip("\n")
                if said := SAID.search(text):
                    text = textwrap.dedent(said[1])
                for each in name.split():
                    earlier = found[each][0] + "\n\n" if each in found else ""
                    found[each] = (earlier + text, path)
                name, lines = None, []
            elif mark and mark[1]:
                name, lines = mark[1], []
            elif name:
                lines.append(line)
    return found
