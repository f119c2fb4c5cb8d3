"""Peers that are slow: servers that read little by little, and clients that fill the receiver's places."""

import collections
import concurrent.futures
import contextlib
import json
import os
import socket
import threading
import time

from common import Count, Place, Receiver, Server, source, write


def reader(hoist, seed, size, buffer, name, rate):
    """One push to a server that reads at a steady rate. Returns what went wrong, or None, and the seconds."""
    with Place(hoist, "reader") as place:
        content = source(seed, name).randbytes(size)
        write(place.file("file.bin"), content)
        began = []

        def during(_, received, __):
            if not began:
                began.append((time.monotonic(), received))
            start, first = began[0]
            time.sleep(max(0, start + (received - first) / rate - time.monotonic()))

        with Server(during, receive_buffer=buffer, piece=3000) as server:
            start = time.monotonic()
            status, output, errors = place.run("push", "--json", "file.bin", "--to", server.url)
            seconds = time.monotonic() - start
            events = [json.loads(line) for line in output.splitlines()]
            end = [event for event in events if event["event"] in ("finished", "failed")]
            contents = [visit.content for visit in server.arrived()]
            if status != 0 or not end or end[0]["event"] != "finished":
                cause = end[0].get("message") if end else errors
                return f"after {seconds:.0f} s with {len(contents)} whole bodies: {cause}", seconds
            if contents != [content]:
                return f"called sent, and {len(contents)} bodies arrived", seconds
            return None, seconds


def readers(hoist, seed, quick):
    size = 300_000 if quick else 4 << 20
    count = Count("slow readers", f"{size} bytes at 30 kB/s arrive whole and their reply counts", 2)
    buffers = {"a receive buffer of 8 KiB": 8192, "a receive buffer of 8 MiB": 8 << 20}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        ends = {name: pool.submit(reader, hoist, seed, size, buffer, name, 30_000) for name, buffer in buffers.items()}
        for name, end in ends.items():
            trouble, seconds = end.result()
            if trouble:
                count.fail(name, trouble)
            count.remarks.append(f"{name}: {seconds:.0f} s")
    return [count]


class SlowClient:
    """Sends a byte now and then, in the head of a request or in its body, from one of a few addresses."""

    HEAD = b"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\n"

    def __init__(self, number, port):
        self.socket = socket.socket()
        self.socket.settimeout(2)
        # More than one address may have places for.
        self.socket.bind((f"127.0.1.{1 + number % 6}", 0))
        self.socket.connect(("127.0.0.1", port))
        if number % 2:
            self.socket.sendall(
                self.HEAD + b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n"
                b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"slow-%d\"\r\n\r\n" % number)
            self.rest = b"x"
        else:
            self.socket.sendall(self.HEAD)
            self.rest = b"X"
        self.socket.setblocking(False)

    def trickle(self):
        with contextlib.suppress(OSError):
            self.socket.send(self.rest)


def clients(hoist, seed, quick):
    total, honest = (30, 3) if quick else (300, 30)
    count = Count("slow clients", f"an upload beside {total} of them is through in 30 s", honest)
    with Place(hoist, "clients") as place, Receiver(place, "inbox") as receiver:
        slow, stop = [], threading.Event()
        for number in range(total):
            with contextlib.suppress(OSError):
                slow.append(SlowClient(number, receiver.port))

        def trickle():
            while not stop.wait(0.5):
                for client in list(slow):
                    client.trickle()

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        times = collections.deque()
        for number in range(honest):
            write(place.file(f"honest-{number}.bin"), os.urandom(100_000))
            began = time.monotonic()
            status, _, errors = place.run("push", f"honest-{number}.bin", "--to", receiver.url)
            times.append(time.monotonic() - began)
            if status != 0 or times[-1] > 30:
                count.fail(number, f"{times[-1]:.0f} s, {errors.strip()}")
        stop.set()
        thread.join()
        for client in slow:
            client.socket.close()
        if not receiver.is_alive():
            count.fail("end", "the receiver does not answer any more")
        names = [name for name in os.listdir(receiver.folder) if not name.startswith(".")]
        if sorted(names) != sorted(f"honest-{number}.bin" for number in range(honest)):
            count.fail("end", f"the folder holds {sorted(names)}")
        count.remarks = [f"{len(slow)} connected", f"the longest took {max(times):.1f} s"]
    return [count]
