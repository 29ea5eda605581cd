"""A control group of the kernel with a limit, of either version, below the one of the tests."""
import errno
import itertools
import os
import pathlib
import time

# For each controller, the file that limits it and what it holds for a value.
VERSION_1 = {"memory": ("memory.limit_in_bytes", "{}"), "pids": ("pids.max", "{}"),
             "cpu": ("cpu.cfs_quota_us", "{}")}
VERSION_2 = {"memory": ("memory.max", "{}"), "pids": ("pids.max", "{}"), "cpu": ("cpu.max", "{} 100000")}
NUMBERS = itertools.count(1)


class ControlGroup:
    def __init__(self, path):
        self.path = path

    def around(self, *command):
        """A command that joins the group and then is this one."""
        return ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', self.path, *command]

    def remove(self):
        """A kernel may count a process as a member until shortly after its parent knows of the end."""
        end = time.monotonic() + 300
        while True:
            try:
                return self.path.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                if time.monotonic() > end:
                    left = (self.path / "cgroup.procs").read_text().split()
                    raise OSError(error.errno, f"processes in the group: {' '.join(left) or 'none'}",
                                  self.path) from error
            time.sleep(0.01)


def made(controller, value):
    """A group with a limit, or why this machine cannot make one."""
    problem = "no control groups are mounted"
    for folder, (name, form) in places(controller):
        path = folder / f"signalbox-{os.getpid()}-{next(NUMBERS)}"
        try:
            path.mkdir()
        except OSError as error:
            problem = f"{path}: {error.strerror}"
            continue
        try:
            # A group that lacks the controller has no such file.
            with open(path / name, "r+") as file:
                file.write(form.format(value))
            return ControlGroup(path), None
        except OSError as error:
            problem = f"{path / name}: {error.strerror}"
            path.rmdir()
    return None, problem


def places(controller):
    """Where a group may be made: below the process's own group, then below those around it."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, own = line.split(":", 2)
        if names and controller not in names.split(","):
            continue
        for words in mounts:
            kind, _, options = words[words.index("-") + 1:]
            if kind == ("cgroup" if names else "cgroup2") and (not names or controller in options.split(",")):
                for folder in [pathlib.Path(words[4], own[1:]), *pathlib.Path(words[4], own[1:]).parents]:
                    if folder.is_relative_to(words[4]) and folder.is_dir():
                        yield folder, (VERSION_1 if names else VERSION_2)[controller]
