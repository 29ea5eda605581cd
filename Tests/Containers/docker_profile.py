"""The system calls that Docker allows by default, as a filter of the kernel. A call that is not
allowed fails with EPERM, and `clone3` with ENOSYS, so that the C library uses `clone`.

  docker_profile.py FILTER COMMAND [ARGUMENT …]    runs a command under `filter_words()`"""
import ctypes
import errno
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys

LIST = pathlib.Path(__file__).with_suffix(".txt")
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Instructions of BPF, and where the kernel shows it the call, the architecture and the arguments.
LOAD, MASK, EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
CALL, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
# The kinds of `clone` that make namespaces; sockets of virtual machines.
NAMESPACES, AF_VSOCK = 0x7E020000, 40
PERSONALITIES = (0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)


def numbers():
    """The numbers of the calls on this machine, from the kernel's headers."""
    lines = subprocess.run(["clang", "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                           capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"#define __NR(_\w+|3264_\w+) (\S+)", lines))
    return {name[1:]: int(found.get(value.removeprefix("__NR"), value))
            for name, value in found.items() if name[0] == "_" and not value.startswith("(")}


def filter_words():
    """The filter, as a word for a command line."""
    known = numbers()
    names = [name for line in LIST.read_text().splitlines() if line[0] != "#" for name in line.split()]
    refused = (RETURN, 0, 0, REFUSE | errno.EPERM)
    allowed = (RETURN, 0, 0, ALLOW)
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, ARCHITECTURES[platform.machine()]),
             (RETURN, 0, 0, KILL), (LOAD, 0, 0, CALL)]
    for name in names:
        if name in known:
            steps += [(EQUAL, 0, 1, known[name]), allowed]
    steps += [(EQUAL, 0, 1, known["clone3"]), (RETURN, 0, 0, REFUSE | errno.ENOSYS)]
    steps += [(EQUAL, 0, 5, known["clone"]), (LOAD, 0, 0, FIRST_ARGUMENT), (MASK, 0, 0, NAMESPACES),
              (EQUAL, 0, 1, 0), allowed, refused]
    steps += [(EQUAL, 0, 4, known["socket"]), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, AF_VSOCK),
              allowed, refused]
    steps += [(EQUAL, 0, 2 * len(PERSONALITIES) + 1, known["personality"]), (LOAD, 0, 0, FIRST_ARGUMENT)]
    for personality in PERSONALITIES:
        steps += [(EQUAL, 0, 1, personality), allowed]
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, refused]).hex()


def install(steps):
    class Program(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    no_new_privileges, set_filter = 38, 22
    program = Program(len(steps) // 8, steps)
    call = ctypes.CDLL(None, use_errno=True).prctl
    if call(no_new_privileges, 1, 0, 0, 0) or call(set_filter, 2, ctypes.byref(program), 0, 0):
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    install(bytes.fromhex(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
