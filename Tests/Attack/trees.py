"""Odd trees, searched as an ordinary user: each regular file in them is sent, or it or a folder above it is reported."""

import contextlib
import json
import os
import shutil
import socket
import subprocess

from common import Count, Place, Server

# Nobody in particular. Root could look at everything.
USER = 65534


def touch(folder, name, mode=0o644):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode, dir_fd=folder))


@contextlib.contextmanager
def inside(folder, name):
    """A new folder's descriptor: paths would become too long."""
    os.mkdir(name, dir_fd=folder)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
    try:
        yield inner
    finally:
        os.close(inner)


def chain(folder, name, depth, before=(), after=()):
    """Folders within each other, with files in each that sort before and after the next folder."""
    folder = os.dup(folder)
    for _ in range(depth):
        for file in (*before, *after):
            touch(folder, file)
        with inside(folder, name) as inner:
            os.close(folder)
            folder = os.dup(inner)
    touch(folder, "end")
    os.close(folder)


def shut(folder):
    with inside(folder, "shut") as inner:
        for number in range(5):
            touch(inner, f"file {number}")
        with inside(inner, "folder") as deeper:
            touch(deeper, "deep")
    touch(folder, "last")


def long_names(folder):
    chain(folder, "d" * 250, 20, before=["a"])


def very_deep(folder):
    chain(folder, "d", 5000)


def comb(folder):
    chain(folder, "m", 1500, before=["a"], after=["z"])


def listed_only(folder):
    shut(folder)
    return 0o444


def searched_only(folder):
    shut(folder)
    return 0o111


def closed(folder):
    shut(folder)
    return 0o000


def names(folder):
    for name in [b"\xff\xfe", b"new\nline", b"-r", b"a;type=x", b"*", b" ", "\u202e".encode(), b"~", b"\\", b"x" * 255]:
        touch(folder, name)
    with inside(folder, b"\xff") as inner:
        touch(inner, b"\xc3")


def wide(folder):
    for number in range(5000):
        touch(folder, f"{number}")


def links(folder):
    with inside(folder, "real") as inner:
        touch(inner, "file")
        os.symlink("..", "up", dir_fd=inner)
        os.link("file", "hard", src_dir_fd=inner, dst_dir_fd=inner)
    for link, to in [("folder", "real"), ("loop", "loop"), ("file", "real/file"), ("broken", "nowhere")]:
        os.symlink(to, link, dir_fd=folder)


def kinds(folder):
    os.mkfifo("pipe", dir_fd=folder)
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as door:
        before = os.getcwd()
        os.fchdir(folder)
        door.bind("socket")
        os.chdir(before)
    touch(folder, "secret", 0)
    touch(folder, "plain")
    with inside(folder, "empty"):
        pass


# A mode that they return is that of the folder "shut".
TREES = [long_names, very_deep, comb, listed_only, searched_only, closed, names, wide, links, kinds]


def regular_files(folder, path=()):
    """The regular files of a tree, as names. Without recursion, which would end at a thousand."""
    left = [(os.dup(folder), path)]
    while left:
        folder, path = left.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = os.fsencode(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    inner = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
                    left.append((inner, (*path, name)))
                elif entry.is_file(follow_symlinks=False):
                    yield (*path, name)
        os.close(folder)


def attack(hoist, build):
    name = build.__name__.replace("_", " ")
    with Place(hoist, "trees") as place, Server() as server:
        tree = place.folder("tree")
        folder = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
        mode = build(folder)
        files = set(regular_files(folder))
        os.close(folder)
        if mode is not None:
            os.chmod(os.path.join(tree, "shut"), mode)
        as_user = {}
        program = hoist
        if os.geteuid() == 0:
            as_user = dict(user=USER, group=USER, extra_groups=[])
            # The user may not be allowed to go where the program is.
            program = shutil.copy(hoist, place.file("hoist"))
            subprocess.run(["chown", "-R", "-h", str(USER), place.path], check=True)

        def run(*command):
            return subprocess.run(
                command, cwd=place.path, env=place.environment, stdin=subprocess.DEVNULL, capture_output=True, **as_user)

        found = run("find", "tree", "-type", "f", "-print0").stdout.count(b"\0")
        push = run(program, "push", "-r", "tree", "--to", server.url, "--report", "r.json", "-q")
        add = run(program, "add", "-r", "tree", "--to", server.url)
        queue = run(program, "queue", "--json").stdout.splitlines()
        with open(place.file("r.json"), encoding="utf-8") as report:
            entries = json.load(report)["files"]
        sent, reported = set(), set()
        for entry in entries:
            path = entry["path"]
            path = bytes(path) if isinstance(path, list) else path.encode()
            (sent if entry["result"] == "sent" else reported).add(tuple(path.split(b"/")[1:]))
        count = Count(f"trees, {name}", "each file is sent or reported", len(files))
        for file in files:
            if file not in sent and not any(file[:length] in reported for length in range(len(file) + 1)):
                count.fail(b"/".join(file)[-80:].decode(errors="replace"), "left out without a word")
        for command, outcome in [("push", push), ("add", add)]:
            if outcome.returncode != (1 if reported else 0):
                count.fail(command, f"exit status {outcome.returncode} with {len(reported)} reported")
        if len(queue) != len(entries):
            count.fail("add", f"{len(queue)} in the queue, and {len(entries)} in the report of push")
        count.remarks = [
            f"find -type f: {found}", f"{len(sent)} sent", f"{len(reported)} reported", f"{len(queue)} queued"]
        if mode is not None:
            os.chmod(os.path.join(tree, "shut"), 0o700)
        subprocess.run(["rm", "-rf", tree], check=False)
        return count


def run(hoist, seed, quick):
    for build in TREES:
        yield attack(hoist, build)
