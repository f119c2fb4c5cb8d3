"""A push is told to end at a random moment of its first 50 ms, beside two busy loops. Each one ends."""

import random
import signal
import socket
import subprocess
import sys
import time

from common import Count, Place

BUSY = [sys.executable, "-c", "while True: pass"]


class Silent:
    """A server that takes connections and says nothing: a push is over when it is stopped, and not before."""

    def __enter__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(512)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/upload"
        return self

    def __exit__(self, *_):
        self.socket.close()


def run(hoist, seed, quick):
    """Returns how many pushes ended by what they were told."""
    # In a script's background SIGINT is ignored, and hoist would leave it so. A handler is not inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance = random.Random(seed)
    count = Count("early signals", "each push ends with 130, or by the signal", 100 if quick else 1000)
    with Place(hoist, "signals") as place, Silent() as server:
        with open(place.file("a.txt"), "w", encoding="utf-8") as file:
            file.write("a")
        loops = [subprocess.Popen(BUSY) for _ in range(2)]
        try:
            for number in range(count.total):
                which = chance.choice([signal.SIGINT, signal.SIGTERM])
                moment = chance.uniform(0, 0.05)
                push = place.start("push", "a.txt", "--to", server.url, "--no-history")
                time.sleep(moment)
                push.send_signal(which)
                try:
                    status = push.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    count.fail(number, f"{which.name} after {moment * 1000:.1f} ms: it goes on")
                    push.kill()
                    continue
                finally:
                    place.children.remove(push)
                if status not in (130, -which):
                    count.fail(number, f"{which.name} after {moment * 1000:.1f} ms: status {status}")
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
    return [count]
