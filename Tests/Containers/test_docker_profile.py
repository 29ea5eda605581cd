"""The system calls that Docker allows by default are enough."""
import subprocess
import unittest

from docker_profile import numbers
from limited_case import LimitedCase
from limits import docker_calls

REFUSED = """
import ctypes, errno, socket, threading
call = ctypes.CDLL(None, use_errno=True).syscall
def refused(number, *words):
    assert call(number, *words) < 0
    return errno.errorcode[ctypes.get_errno()]
namespace = 0x10000000
# Threads start all the same.
thread = threading.Thread()
thread.start()
thread.join()
try:
    socket.socket(40)
except OSError as error:
    print(errno.errorcode[error.errno])
print(refused(clone3, 0, 0), refused(unshare, namespace), refused(clone, namespace))
"""


class DockerProfile(LimitedCase):
    def test_its_calls_are_enough(self):
        self.expect_all(docker_calls())

    def test_it_refuses_what_docker_refuses(self):
        known = numbers()
        text = "".join(f"{name} = {known[name]}\n" for name in ("clone", "clone3", "unshare")) + REFUSED
        ended = subprocess.run([*docker_calls(), "/usr/bin/python3", "-c", text], capture_output=True, text=True)
        self.assertEqual((ended.stdout.split(), ended.stderr), (["EPERM", "ENOSYS", "EPERM", "EPERM"], ""))


if __name__ == "__main__":
    unittest.main()
