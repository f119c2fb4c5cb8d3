#!/usr/bin/env python3
"""Servers that end kept connections while the next request is on its way, and a gateway that loses replies. Nobody is
processed twice without a row that says so, and little is left in doubt. On this machine, and over a line of 20 ms each
way.

    ends.py HOIST SEED FILES WAY PLACE     in a network namespace of its own; prints what happened as JSON
"""

import collections
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading

from common import Count, Place, file_name, source, write
import link

DELAY = 0.02
WAYS = {
    "one direction": "a server that ends its own direction (FIN) after a reply, and reads and processes on",
    "both": "a server that behaves closes idle connections",
    "gateway": "a gateway answers 502 or 504 to some of what the server behind it has processed",
}
PLACES = {"here": 0, "20 ms": DELAY}


class CountingServer:
    """Answers forms, ends each connection after a few of them, and counts what it has processed."""

    def __init__(self, address, way, random):
        self.way, self.random = way, random
        self.processed = collections.Counter()
        self.endings = 0
        self.lock = threading.Lock()
        self.socket = socket.socket()
        self.socket.bind((address, 0))
        self.socket.listen(512)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with self.lock:
            left = self.random.randint(1, 4)
        with connection, contextlib.suppress(OSError):
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    got = connection.recv(65536)
                    if not got:
                        return
                    rest += got
                head, _, rest = rest.partition(b"\r\n\r\n")
                length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                              if line.lower().startswith(b"content-length:"))
                while len(rest) < length:
                    got = connection.recv(65536)
                    if not got:
                        return
                    rest += got
                with self.lock:
                    self.processed[file_name(rest.partition(b"\r\n\r\n")[0])] += 1
                rest = rest[length:]
                left -= 1
                if left < 0 and self.way == "one direction":
                    continue
                status = b"200 OK"
                if self.way == "gateway" and left < 0:
                    with self.lock:
                        left, status = self.random.randint(1, 4), self.random.choice([b"502 Bad Gateway", b"504 Late"])
                        self.endings += 1
                connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
                if self.way == "gateway":
                    continue
                # A server that behaves reads what has arrived before it closes.
                if left == 0 and self.way == "one direction":
                    connection.shutdown(socket.SHUT_WR)
                elif left > 0 or rest or select.select([connection], [], [], 0)[0]:
                    continue
                with self.lock:
                    self.endings += 1
                if self.way == "both":
                    return


def push(hoist, seed, files, way, place):
    """One push of this many small files. Returns what became of them."""
    delay = PLACES[place]
    random = source(seed, f"{way} {place}")
    if delay:
        link.Line(delay)
    server = CountingServer(link.HERE if delay else "127.0.0.1", way, random)
    with Place(hoist, "ends") as here:
        for number in range(files):
            write(here.file(f"{number}.bin"), random.randbytes(random.randint(100, 5000)))
        names = [f"{number}.bin" for number in range(files)]
        address = link.THERE if delay else "127.0.0.1"
        _, output, errors = here.run("push", "--json", "--to", f"http://{address}:{server.port}/upload", *names)
    sent, failed, again = [], {}, set()
    for line in output.splitlines():
        event = json.loads(line)
        name = os.path.basename(event.get("path", ""))
        if event["event"] == "finished":
            sent.append(name)
        elif event["event"] == "failed":
            failed[name] = event["cause"]
        elif event["event"] == "retrying":
            again.add(name)
    return {"sent": sent, "failed": failed, "again": sorted(again), "processed": server.processed,
            "endings": server.endings, "errors": errors}


def run(hoist, seed, quick):
    files = 80 if quick else 800
    for way, words in WAYS.items():
        for place in PLACES:
            yield attack(hoist, seed, files, way, words, place)


def attack(hoist, seed, files, way, words, place):
    count = Count(f"connections that end, {way}, {place}", f"{words}: nothing is processed twice in silence", files)
    # A user's own namespace lets everybody have a network.
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", sys.executable, __file__, hoist, str(seed), str(files), way, place]
        if PLACES[place] else [sys.executable, __file__, hoist, str(seed), str(files), way, place],
        capture_output=True, timeout=900)
    if done.returncode != 0:
        count.fail("attack", done.stderr.decode()[-400:])
        return count
    result = json.loads(done.stdout)
    for number in range(files):
        name = f"{number}.bin"
        times = result["processed"].get(name, 0)
        if name in result["sent"] and times == 0:
            count.fail(name, "called sent and not processed")
        elif name in result["sent"] and times > 1 and name not in result["again"]:
            count.fail(name, f"processed {times} times, and its row says sent")
        elif name in result["failed"] and result["failed"][name] != "outcome-unknown":
            count.fail(name, f"failed as {result['failed'][name]}")
        elif name not in result["sent"] and name not in result["failed"]:
            count.fail(name, "neither sent nor failed")
    unknown = len(result["failed"])
    # A server that reads on after its end takes what was on its way: that it may be there is all that can be said.
    # Less than one in a hundred; of a few files, two may be left in doubt by chance.
    if way == "both" and unknown > max(2, (files - 1) // 100):
        count.fail("doubt", f"{unknown} of {files} are in doubt")
    count.remarks = [f"{result['endings']} {'replies lost' if way == 'gateway' else 'connections ended'}", f"{unknown} in doubt"]
    if result["endings"] < files // 8:
        count.fail("attack", "too few connections ended, or replies were lost: this run shows too little")
    return count


if __name__ == "__main__":
    json.dump(push(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]), sys.stdout)
