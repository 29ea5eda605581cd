"""What to say at the end of a test run that failed."""
import re

COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # which the testing library writes to CI's logs
LINES = 6  # as much of an issue as is repeated
SAID = tuple("◇✔✘➜")  # the testing library begins a line so; one that goes on begins otherwise
BEGAN = re.compile(r"◇ Test (?!case |run )(.+) started\.$")
ENDED = re.compile(r"[✔✘] Test (?!case |run )(.+?)(?: with \d+ test cases?)? (?:passed|failed) after ")


def summary(lines):
    """The tests that began and did not end, with what was said last if there are such; then the
    issues, since a log often shows only its last lines."""
    running, issues, other, issue = {}, [], [], None
    for line in (COLOUR.sub("", line) for line in lines):
        if line.startswith((*SAID, "WEDGED")):
            issue = [] if "recorded an issue" in line or line.startswith("WEDGED") else None
            issues += [issue] if issue is not None else []
        if issue is not None:
            issue.append(line)
        elif line and not line.startswith((*SAID, "↳")):
            other.append(line)
        for pattern, change in ((BEGAN, 1), (ENDED, -1)):
            if found := pattern.match(line):
                running[found[1]] = running.get(found[1], 0) + change
    endless = sorted(name for name, count in running.items() if count > 0)
    yield f"run-tests: issues: {len(issues)}, tests without an end: {len(endless)}"
    yield from (f"  said last: {line}" for line in (other[-LINES:] if endless else []))
    yield from (f"  without an end: {name}" for name in endless)
    yield from (f"  issue: {line}" for issue in issues for line in issue[:LINES])
