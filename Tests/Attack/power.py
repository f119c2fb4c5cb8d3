"""Power is lost at random moments: of the queue's files there is what was synced, and perhaps some of what was not.

A shim keeps a copy of each file of the queue as of its last sync. At a loss hoist is killed, and the files go back to
these copies; sometimes some of what was written since is left, as a disk may do. Nothing that was queued is lost, what
hoist said was sent is sent, and a file arrives twice only where that was said. Since the disk is slow, no more files
have arrived without a result on disk than there are lanes.
"""

import collections
import contextlib
import hashlib
import os
import re
import subprocess
import time

from common import Count, Place, Server, ends, source, wait_until, write
from kills import close

LANES = 4
FILES = ["queue.sqlite", "queue.sqlite-wal"]


class Disk:
    """The folder with the queue, and what a loss of power would leave of it."""

    def __init__(self, place):
        self.place = place
        self.folder = place.folder("disk")
        self.synced = place.folder("synced")
        self.queue = place.file("disk", "queue.sqlite")
        shim = place.file("power.so")
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", shim, os.path.join(here, "power.c"), "-ldl"], check=True)
        place.environment |= {"LD_PRELOAD": shim, "POWER_FOLDER": self.folder, "POWER_SYNCED": self.synced}

    def read(self, folder, name):
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
        return None

    def lose_power(self, random):
        """Puts back what was synced. Returns how many bytes of the log are gone."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.queue + "-shm")
        gone = 0
        for name in FILES:
            now, then = self.read(self.folder, name), self.read(self.synced, name)
            if now is None:
                # It was removed; that need not have reached the disk either.
                if then is not None and random.random() < 0.5:
                    write(os.path.join(self.folder, name), then)
                continue
            left = then or b""
            if random.random() < 0.5:
                # Some of what was not synced had been written.
                some = random.randint(0, len(now))
                left = now[:some] + left[some:]
            if name.endswith("-wal"):
                gone += left != now
            write(os.path.join(self.folder, name), left)
        return gone


def run(hoist, seed, quick):
    losses = 10 if quick else 50
    random = source(seed, "power")
    count = Count("losses of power", "nothing lost, nothing said that is not so, twice only where that was said", losses)
    server_random = source(seed, "server")
    with Place(hoist, "power") as place, Server(
            delay=lambda: server_random.choice([0, 0, 0.01, 0.05, 0.2]), keeps=False) as server:
        disk = Disk(place)
        write(os.path.join(place.folder("config", "hoist"), "config.toml"),
              f'[targets.lab]\nurl = "{server.url}"\nconcurrency = {LANES}\n'.encode())
        names, starts, again, logs, told, most = {}, [], [], 0, 0, 0
        copies = collections.Counter()

        def add():
            paths = []
            for _ in range(100):
                name = f"file-{len(names)}.bin"
                content = random.randbytes(random.randint(1, 20_000))
                write(place.file(name), content)
                names[name] = hashlib.sha256(content).digest()
                paths.append(name)
            status, _, errors = place.run("add", "--to", "lab", "--queue", disk.queue, *paths)
            if status != 0:
                raise RuntimeError(f"hoist add: {errors}")

        for loss in range(losses):
            fresh = len({visit.name for visit in server.arrived()}) > len(names) - 60
            if fresh:
                add()
                # Right after `hoist add` has said that they are queued.
                logs += disk.lose_power(random)
            starts.append(time.monotonic())
            before = len(server.arrived())
            with open(place.file("said"), "wb") as output:
                child = place.start("send", "--queue", disk.queue, output=output)
                if random.random() < 0.9:
                    wait_until(lambda: len(server.arrived()) > before or child.poll() is not None, 20)
                time.sleep(random.uniform(0, 0.25))
                if child.poll() is not None:
                    count.fail(loss + 1, f"hoist had ended by itself with {child.returncode}")
                child.kill()
                child.wait()
            # What a thread of the server has not yet noted arrived before the loss, too.
            time.sleep(0.3)
            logs += disk.lose_power(random)
            with open(place.file("said"), encoding="utf-8") as said:
                sent = re.findall(r"^(file-\d+\.bin): 200", said.read(), re.MULTILINE)
            items = {item["name"]: item["state"] for item in place.lines("queue", "--queue", disk.queue)}
            ended = ends(place.lines("history", "--queue", disk.queue), "done")
            told += len(sent)
            for name in sent:
                if not ended[name]:
                    count.fail(loss + 1, f"{name} was said to be sent, and is {items.get(name)}")
            for name in names.keys() - items.keys() - ended.keys():
                count.fail(loss + 1, f"{name} is lost from the queue")
            arrived = collections.Counter(visit.name for visit in server.arrived())
            unrecorded = sum(arrived[name] > copies[name] and not ended[name] for name in names)
            most = max(most, unrecorded)
            if unrecorded > LANES:
                count.fail(loss + 1, f"{unrecorded} files had arrived without a result on disk")
            copies = arrived
        _, again, _ = close(count, place, disk.queue, server, names, starts)
    count.remarks = [f"{len(names)} files", f"{logs} times a part of the log was gone", f"{told} were said to be sent",
                     f"{again} second copies", f"at most {most} files without a result on disk at {LANES} lanes"]
    if logs < losses // 4:
        count.fail("attack", "nothing was lost by most losses: this run shows nothing")
    return [count]
