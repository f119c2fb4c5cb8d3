"""Files change while they are sent. What arrives is what a file held at one moment, or it is not called sent."""

import json
import mmap
import os
import threading
import time

import moments
from common import Count, Place, Server, source, write

PAGE = 4096


def inverted(content):
    """Differs from the content in every byte."""
    return content.translate(bytes(255 - value for value in range(256)))


def is_overwritten(content, old, new):
    """Whether a file held this while the new content was written over the old from its beginning, page by page."""
    if len(content) != len(old):
        return False
    pages = range(0, len(old), PAGE)
    position = next((page for page in pages if content[page:page + PAGE] != new[page:page + PAGE]), len(old))
    # Within one page no order is promised.
    return content[position + PAGE:] == old[position + PAGE:] and all(
        byte in pair for byte, *pair in zip(
            content[position:position + PAGE], old[position:position + PAGE], new[position:position + PAGE]))


class Victim:
    """A file, and the one change that will be made to it."""

    def __init__(self, path, kind, content, random, is_old):
        self.path, self.kind, self.old, self.is_old = path, kind, content, is_old
        if kind == "append":
            self.new = content + random.randbytes(random.randint(1, PAGE))
        elif kind == "append and overwrite":
            self.new = inverted(content) + random.randbytes(random.randint(1, PAGE))
        elif kind == "truncate":
            self.new = content[:random.randrange(len(content))]
        else:
            self.new = content if kind == "delete" else inverted(content)
        # Where in the request the change is made. Megabytes beyond that have been read from the disk already.
        self.moment = random.choice([0, random.random() ** 2, random.random()])
        self.pause = random.choice([0, 0, random.uniform(0, 0.03)])
        self.lock = threading.Lock()
        self.changed = None
        self.map = None
        write(path, content)
        # Its pages have been written to before, so that writing to them again changes no time.
        if kind == "mmap" and random.random() < 0.5:
            self.open_map()
            self.map[:] = content

    def open_map(self):
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def change(self):
        with self.lock:
            if self.changed is not None:
                return
            self.changed = time.monotonic()
        time.sleep(self.pause)
        getattr(self, self.kind.replace(" ", "_"))()

    def append(self):
        with open(self.path, "ab") as file:
            file.write(self.new[len(self.old):])

    def append_and_overwrite(self):
        self.append()
        with open(self.path, "r+b", buffering=0) as file:
            for page in range(0, len(self.old), PAGE):
                file.write(self.new[page:min(page + PAGE, len(self.old))])

    def truncate(self):
        os.truncate(self.path, len(self.new))

    def delete(self):
        os.unlink(self.path)

    def rename(self):
        write(self.path + ".new", self.new)
        os.rename(self.path + ".new", self.path)

    def overwrite(self):
        with open(self.path, "r+b", buffering=0) as file:
            for page in range(0, len(self.new), PAGE):
                file.write(self.new[page:page + PAGE])

    def time_set_back(self):
        status = os.stat(self.path)
        self.overwrite()
        os.utime(self.path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def mmap(self):
        if self.map is None:
            self.open_map()
        for page in range(0, len(self.new), PAGE):
            self.map[page:page + PAGE] = self.new[page:page + PAGE]

    def could_be(self, content):
        """Whether the file held this at one moment."""
        if content in (self.old, self.new):
            return True
        # What is appended may take several writes.
        if self.kind == "append":
            return content.startswith(self.old) and self.new.startswith(content)
        # Either the upload began before the file grew, or after.
        if self.kind == "append and overwrite":
            size = len(self.old)
            return is_overwritten(content, self.old, self.new[:size]) or is_overwritten(
                content, self.old + self.new[size:], self.new)
        return self.kind in ("overwrite", "time set back", "mmap") and is_overwritten(content, self.old, self.new)

    def end(self):
        if self.map is not None:
            self.map.close()


KINDS = ["append", "append and overwrite", "truncate", "overwrite", "mmap", "rename", "time set back", "delete"]


def attack(hoist, seed, kind, total):
    random = source(seed, kind)
    count = Count(f"changes, {kind}", "what was accepted is what the file held at one moment", total)
    with Place(hoist, "changes") as place:
        victims = {}

        def during(name, received, size):
            victim = victims.get(name)
            if victim and victim.changed is None and received >= victim.moment * size:
                victim.change()

        # Little fits on the way, so that much is still to be read when the file changes.
        with Server(during, receive_buffer=8192, piece=32768) as server:
            sent, failed = set(), {}
            for part in range(0, total, 20):
                paths = []
                for number in range(part, min(part + 20, total)):
                    path = place.file(f"{number}.bin")
                    is_old = part // 20 % 2 == 0
                    size = random.randint(*random.choice([(10_000, 300_000), (3 << 20, 9 << 20), (3 << 20, 9 << 20)]))
                    victims[f"{number}.bin"] = Victim(path, kind, random.randbytes(size), random, is_old)
                    paths.append(path)
                # hoist reads a file twice that has just been changed; what is older it may believe.
                if is_old:
                    time.sleep(2.2)
                _, output, _ = place.run("push", "--json", "--concurrency", "3", "--to", server.url, *paths)
                for line in output.splitlines():
                    event = json.loads(line)
                    name = os.path.basename(event.get("path", ""))
                    if event["event"] == "finished":
                        sent.add(name)
                    elif event["event"] == "failed":
                        failed[name] = event["cause"]
                for path in paths:
                    victims[os.path.basename(path)].end()
                    if os.path.exists(path):
                        os.unlink(path)
                # What was judged is let go of: hundreds of megabytes otherwise.
                for visit in server.arrived():
                    victim = victims[visit.name]
                    if visit.content and not victim.could_be(visit.content):
                        count.fail(visit.name, f"a torn file was {'called sent' if visit.name in sent else 'taken'}")
                    visit.content = b""
                for path in paths:
                    victims[os.path.basename(path)].old = victims[os.path.basename(path)].new = b""
        arrived = {visit.name for visit in server.arrived()}
        for name in sent - arrived:
            count.fail(name, "called sent and did not arrive")
        for name in victims.keys() - sent - failed.keys():
            count.fail(name, "neither sent nor failed")
        changed = sum(victim.changed is not None for victim in victims.values())
        count.remarks = [f"{len(sent)} sent", f"{len(failed)} broken off" + (
            f" as {', '.join(sorted(set(failed.values())))}" if failed else "")]
        if changed < total:
            count.fail("attack", f"only {changed} files were changed: this run shows too little")
    return count


def run(hoist, seed, quick):
    for kind in KINDS:
        yield attack(hoist, seed, kind, 10 if quick else 100)
    yield from moments.run(hoist, seed, quick)
