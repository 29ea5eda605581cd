"""Commands for gdb: the queues, threads and items of a process that uses Signalbox, alive or a core.

  source .../share/signalbox/signalbox-gdb.py

  signalbox queues          those that hold items or are served, and their first items
  signalbox threads         deadlocks, then what each thread waits for, and who holds it
  signalbox item ADDRESS    what an item will run, and which one is behind it

The program `signalbox` reads the process or the core for the first two. It is looked for beside this
file, in ../../bin, and then in PATH. No code of the process runs."""
import json
import pathlib
import re
import shutil
import struct
import subprocess

import gdb

HERE = pathlib.Path(__file__).resolve().parent


def tool():
    beside = HERE.parent.parent / "bin/signalbox"
    found = str(beside) if beside.exists() else shutil.which("signalbox")
    if not found:
        raise gdb.GdbError(f"there is no program `signalbox`, neither {beside} nor in PATH")
    return found


def subject():
    """The arguments that name the process or the core of gdb."""
    inferior = gdb.selected_inferior()
    kind = inferior.connection.type if inferior.connection else ""
    if kind == "core":
        core = re.search(r"Local core dump file:\s+`(.*)', file type", gdb.execute("info files", to_string=True))
        return ["--core", core.group(1)] + ([inferior.progspace.filename] if inferior.progspace.filename else [])
    if kind != "native" or not inferior.pid:
        raise gdb.GdbError("there is no process of this machine and no core: use `attach` or `core-file`")
    return [str(inferior.pid)]


def report(*options):
    done = subprocess.run([tool(), "report", *subject(), *options], capture_output=True, text=True)
    if done.returncode:
        raise gdb.GdbError(done.stderr.strip())
    return done.stdout


# What memory holds


def words(address, count):
    try:
        memory = gdb.selected_inferior().read_memory(address, 8 * count)
    except gdb.MemoryError as error:
        raise gdb.GdbError(f"nothing can be read at {address:#x}: {error}") from None
    return struct.unpack(f"<{count}Q", memory)


def table():
    """The values of `csb_outside` by structure and name: see Documentation/Internals/Outside.md."""
    try:
        start = int(gdb.parse_and_eval("(unsigned long)&csb_outside"))
    except gdb.error:
        raise gdb.GdbError("the program has no symbol csb_outside") from None
    memory = gdb.selected_inferior().read_memory
    size, capacity = struct.unpack("<II", memory(start + 12, 8))
    values = {}
    for index in range(capacity):
        entry = bytes(memory(start + 32 + index * size, 64))
        structure, name, value, _, kind = struct.unpack("<16s32sQII", entry)
        if kind:
            values[structure.rstrip(b"\0").decode(), name.rstrip(b"\0").decode()] = value
    if ("item", "captures") not in values:
        raise gdb.GdbError("this program's Signalbox does not describe its items")
    return values


def function(address):
    text = gdb.execute(f"info symbol {address:#x}", to_string=True).strip()
    name = text.split(" in section ")[0]
    if text.startswith("No symbol"):
        return f"{address:#x}"
    demangler = shutil.which("swift-demangle")
    if demangler and name.startswith(("$s", "$S")):
        symbol, _, offset = name.partition(" ")
        done = subprocess.run([demangler, "-compact", symbol], capture_output=True, text=True)
        name = f"{done.stdout.strip() or symbol} {offset}".strip()
    line = gdb.find_pc_line(address)
    return name + (f" ({line.symtab.filename}:{line.line})" if line.symtab and line.line else "")


# The commands


class Signalbox(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("signalbox", gdb.COMMAND_STATUS, prefix=True)


class Queues(gdb.Command):
    """Show the queues that hold items or are served, and their first items."""

    def __init__(self):
        super().__init__("signalbox queues", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for engine in json.loads(report("--json"))["engines"]:
            for queue in engine["queues"]:
                marks = [f"at {queue['object']}"]
                if queue["owner"]:
                    marks.append(f"thread {queue['owner']} serves it")
                if queue["running"]:
                    marks.append(f"{queue['running']} run on it")
                marks += [word for word in ("suspended", "inactive") if queue[f"is{word.title()}"]]
                if queue["firstItem"]:
                    marks.append(f"first item {queue['firstItem']}")
                count = "?" if queue["count"] is None else f"{queue['count']}{'+' if queue['hasMore'] else ''}"
                print(f"\"{queue['label']}\" {queue['kind']}, {count} items, {', '.join(marks)}")


class Threads(gdb.Command):
    """Show deadlocks, then what each thread waits for, and who holds it."""

    def __init__(self):
        super().__init__("signalbox threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        lines = report().splitlines()
        print("\n".join(line for line in lines if not line.startswith(("the queue ", "the pool of "))))


class Item(gdb.Command):
    """Show what the item at ADDRESS will run, and which one is behind it."""

    def __init__(self):
        super().__init__("signalbox item", gdb.COMMAND_STATUS, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("which item? Give its address, as from `signalbox queues`")
        address, values = int(gdb.parse_and_eval(argument)), table()
        at = {name: values["item", name] // 8 for name in ("next", "function", "flags", "captures")}
        read = words(address, max(at.values()) + 1)
        flags = read[at["flags"]] & 0xFFFFFFFF
        marks = [name for (structure, name), bit in values.items() if structure == "item flag" and flags & bit == bit]
        print(f"item {address:#x}: {function(read[at['function']])}")
        if "captures" in marks:
            print(f"  closure: {function(read[at['captures'] - 1])}, captures at {read[at['captures']]:#x}")
        print(f"  flags: {', '.join(marks) or 'none'}")
        print(f"  next: {read[at['next']]:#x}" if read[at["next"]] else "  next: none")


Signalbox()
Queues()
Threads()
Item()
