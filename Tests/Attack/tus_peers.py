"""tus with servers and a client that are not ours: cut lines, and uploads that one client begins and the other ends."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess

from common import Count, Place, Receiver, source, wait_until
from resuming import CuttingProxy, configure, make_file, sum_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".build/peers/bin/python3"
PEERS = ROOT / "Tests/EndToEndTests/Peers"
SERVERS = {"tuspyserver": None, "aiohttp": "1 MiB"}


class Server:
    def __init__(self, place, kind):
        self.folder = place.folder("files")
        self.errors = open(place.file("server-errors"), "wb")
        self.process = subprocess.Popen(
            [PYTHON, PEERS / "tus_server.py", kind, self.folder], stdout=subprocess.PIPE, stderr=self.errors,
            cwd=place.path)
        place.children.append(self.process)
        words = self.process.stdout.readline().split()
        if not words:
            raise RuntimeError(f"{kind} does not start (make setup?): {open(place.file('server-errors')).read()}")
        self.port = int(words[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def has(self, digest, size):
        """Whether a file with this content lies there."""
        paths = [path for path in pathlib.Path(self.folder).rglob("*") if path.is_file()]
        return any(path.stat().st_size == size and sum_of(path) == digest for path in paths)


def tuspy(place, *arguments):
    done = subprocess.run(
        [PYTHON, PEERS / "tus_client.py", *arguments], cwd=place.path, capture_output=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode().split()[-1]


def queue(place):
    return sqlite3.connect(place.file("state", "hoist", "queue.sqlite"))


def point(place):
    """Where the queue's upload can go on."""
    with queue(place) as database:
        row = database.execute("SELECT resume_point FROM item WHERE resume_point IS NOT NULL").fetchone()
        return json.loads(row[0]) if row else None


def cut(hoist, seed, kind, server, size, cuts):
    count = Count(f"{kind}, cut", f"{size >> 20} MiB arrive at {kind}, the line cut {cuts} times", cuts)
    draw = source(seed, f"{kind} cut")
    with Place(hoist, kind) as place:
        digest = make_file(place.file("large.bin"), size, draw)
        proxy = CuttingProxy(server.port, [draw.randrange(1, size) for _ in range(cuts)], draw)
        configure(place, proxy.url, SERVERS[kind])
        status, _, errors = place.run("push", "--to", "tus", "large.bin")
        proxy.close()
        if status != 0:
            count.fail("status", f"{status}: {errors[-500:]}")
        if not server.has(digest, size):
            count.fail("content", "what was sent has not arrived")
        count.remarks.append(f"{proxy.up / size:.4f} times its size on the wire")
    return count


def given_over(hoist, seed, kind, server, size):
    """hoist begins and is killed, tuspy ends; and the other way round."""
    count = Count(f"{kind}, two clients", f"hoist and tuspy go on with each other's uploads at {kind}", 2)
    draw = source(seed, f"{kind} two")
    with Place(hoist, kind) as place:
        proxy = CuttingProxy(server.port, [], draw)
        configure(place, proxy.url, SERVERS[kind] or "1 MiB")
        address = f"http://127.0.0.1:{server.port}/files/"
        first = make_file(place.file("first.bin"), size, draw)
        place.run("add", "--to", "tus", "first.bin")
        sender = place.start("send", "--limit", f"{size // 8}B/s")
        wait_until(lambda: (point(place) or {}).get("offset", 0) >= size // 4)
        sender.send_signal(signal.SIGKILL)
        sender.wait()
        begun = point(place)
        if begun is None:
            count.fail("hoist, tuspy", "hoist was killed before its upload could resume")
            return count
        tuspy(place, address.rstrip("/"), "first.bin", "--at", begun["url"])
        if not server.has(first, size):
            count.fail("hoist, tuspy", "what hoist began and tuspy ended has not arrived")
        place.run("queue", "remove", "1")
        second = make_file(place.file("second.bin"), size, draw)
        url = tuspy(place, address.rstrip("/"), "second.bin", "--chunks", "3")
        place.run("add", "--to", "tus", "second.bin")
        status = os.stat(place.file("second.bin"))
        known = {
            "url": url.replace(str(server.port), proxy.url.rpartition(":")[2]), "target": "tus", "offset": 0, "start": 0,
            "identity": {"device": status.st_dev, "inode": status.st_ino, "size": status.st_size,
                         "modified": status.st_mtime_ns},
            "moment": {"changed": status.st_ctime_ns, "isDoubtful": False}}
        with queue(place) as database:
            database.execute("UPDATE item SET resume_point = ? WHERE state = 'waiting'", [json.dumps(known)])
        before = proxy.up
        code, output, errors = place.run("send")
        if code != 0:
            count.fail("tuspy, hoist", f"{code}: {output[-300:]} {errors[-300:]}")
        elif not server.has(second, size):
            count.fail("tuspy, hoist", "what tuspy began and hoist ended has not arrived")
        elif proxy.up - before > size - (3 << 20) + (64 << 10):
            count.fail("tuspy, hoist", f"{proxy.up - before} bytes went up again")
        proxy.close()
    return count


def own(hoist, seed, size):
    """tuspy sends to hoist receive, in two goes, with checksums and without."""
    count = Count("tuspy at the receiver", "tuspy's uploads arrive, resumed, with checksums", 2)
    draw = source(seed, "tuspy")
    with Place(hoist, "tuspy") as place, Receiver(place, "inbox") as receiver:
        for name, options in (("plain.bin", []), ("summed.bin", ["--sum"])):
            digest = make_file(place.file(name), size, draw)
            address = f"http://127.0.0.1:{receiver.port}/files"
            url = tuspy(place, address, name, "--chunks", "2", *options)
            if os.path.exists(os.path.join(receiver.folder, name)):
                count.fail(name, "it is visible before it is whole")
            tuspy(place, address, name, "--at", url, *options)
            path = os.path.join(receiver.folder, name)
            if not os.path.exists(path) or sum_of(path) != digest:
                count.fail(name, "it has not arrived")
    return count


def run(hoist, seed, quick):
    size, cuts = (8 << 20, 6) if quick else (64 << 20, 40)
    counts = [own(hoist, seed, 8 << 20)]
    for kind in SERVERS:
        with Place(hoist, kind) as place, Server(place, kind) as server:
            counts += [cut(hoist, seed, kind, server, size, cuts), given_over(hoist, seed, kind, server, 8 << 20)]
    return counts
