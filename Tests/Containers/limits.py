"""What a container takes from a program, each as words before a command."""
import os
import pathlib
import subprocess

import docker_profile
from place import PROGRAM

# What container engines give each container: its own users, processes and files.
NAMESPACES = ["unshare", "--user", "--map-root-user", "--pid", "--mount", "--fork", "--kill-child"]
NO_CAPABILITIES = ["setpriv", "--no-new-privs", "--bounding-set", "-all", "--inh-caps", "-all"]
NOBODY = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]

PROC = "mount -t proc proc /proc"
NO_PROC = "mount -t tmpfs -o ro none /proc"
READ_ONLY = "mount -o remount,ro,bind /"
# Devices without a place for shared memory.
NO_SHARED_MEMORY = (
    "mount -t tmpfs -o mode=755 none /mnt && for name in null zero random urandom; do "
    "touch /mnt/$name && mount --bind /dev/$name /mnt/$name || exit; done && mount --rbind /mnt /dev")


def unprivileged():
    """A user without privileges: nobody, or who runs the tests."""
    return NO_CAPABILITIES + (NOBODY if os.geteuid() == 0 else [])


def contained(*mounts):
    """The first process of a container whose files are as these commands say."""
    script = " && ".join(mounts) + ' && exec "$0" "$@"'
    return [*NAMESPACES, "sh", "-c", script]


def few_descriptors(count):
    return ["prlimit", f"--nofile={count}:{count}"]


def docker_calls():
    """The system calls that Docker allows."""
    return ["/usr/bin/python3", "-B", str(pathlib.Path(docker_profile.__file__)), docker_profile.filter_words()]


def refusal(command):
    """Why this machine does not make the limits of a command; None if it does."""
    try:
        ended = subprocess.run([*command, "test", "-x", PROGRAM], stdin=subprocess.DEVNULL, text=True,
                               capture_output=True)
    except OSError as error:
        return str(error)
    if ended.returncode == 0:
        return None
    return ended.stderr.strip() or f"{PROGRAM} is out of reach"
