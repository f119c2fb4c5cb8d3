#!/usr/bin/env python3
"""The queue beside push and curl: the same files, the same sink, the same number at once, in turn.

The work: rate (5,000 x 10 KiB on four lanes, by `send`, on the screen, by `push` and by curl), slow (the queue's file on a
disk whose syncs take 10 ms longer, four and 32 lanes), memory (200,000 files), types (files without an extension beside
those with one).

Prints each figure beside its goal, and ends with 1 where one is missed. These machines are noisy, so only figures of one
run are comparable. usage: queue.py HOIST [--runs N] [--only NAME]
"""
import argparse, os, re, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../screen"))
from measuring import Sink, curl_command, measure, program
from terminal import NOBODY, Screen

JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0"
missed = 0


def check(what, value, goal, unit="", isMost=True):
    global missed
    held = value <= goal if isMost else value >= goal
    missed += not held
    print(f"  {what:<60} {value:9.2f} {unit:<8} goal {goal:g}   {'held' if held else 'MISSED'}", flush=True)


class Desk:
    """A folder with the files, and a sink that takes all that comes."""

    def __init__(self, hoist, folder):
        self.hoist, self.folder = hoist, folder
        self.sink = Sink()
        self.runs = 0

    def make(self, name, count, content, suffix=".jpg"):
        path = f"{self.folder}/{name}"
        os.makedirs(path)
        for number in range(count):
            with open(f"{path}/file{number:06}{suffix}", "wb") as file:
                file.write(content())
        return path

    def environment(self, **more):
        """A home in which nothing has been sent yet."""
        self.runs += 1
        home = f"{self.folder}/home{self.runs}"
        os.makedirs(home)
        names = {"HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "XDG_STATE_HOME": f"{home}/state",
                 "XDG_RUNTIME_DIR": f"{home}/run"}
        return {**os.environ, **names, **more}

    def push(self, files, lanes):
        options = ["--concurrency", str(lanes)] if lanes else []
        return measure([self.hoist, "push", "-r", files, "--to", self.sink.url, *options], self.environment())

    def add(self, files, environment, url=None):
        """Queues files; returns hoist's options for their queue."""
        queue = ["--queue", f"{environment['HOME']}/queue.sqlite"]
        words = [self.hoist, "add", "-r", files, "--to", url or self.sink.url, *queue]
        subprocess.run(words, env=environment, check=True, stderr=subprocess.DEVNULL)
        return queue

    def send(self, files, lanes, **more):
        environment = self.environment()
        queue = self.add(files, environment)
        return measure([self.hoist, "send", *queue, "--concurrency", str(lanes)], {**environment, **more})

    def screen(self, files, lanes, count):
        """The seconds and the CPU time until all of them are shown as sent."""
        environment = self.environment()
        queue = self.add(files, environment)
        start = time.perf_counter()
        screen = self.open(environment, [*queue, "--concurrency", str(lanes)])
        # What ncurses finds on the screen already is not drawn again: there may be no "ok" behind the last number.
        done = re.compile(rb"%d,?%03d ok|All done" % (count // 1000, count % 1000))
        while not done.search(screen.text):
            if time.perf_counter() - start > 120:
                sys.exit(f"the screen never said that {count} files were sent: {screen.text[-2000:]!r}")
            screen.read(0.05)
        seconds, cpu = time.perf_counter() - start, screen.cpu()
        screen.leave()
        return seconds, cpu

    def open(self, environment, arguments):
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            return Screen(self.hoist, environment["HOME"], arguments)
        finally:
            os.environ.clear()
            os.environ.update(before)

    def curl(self, files, lanes):
        paths = [f"{files}/{name}" for name in sorted(os.listdir(files))]
        return measure(curl_command(f"{self.folder}/curl.conf", paths, self.sink.url, lanes), self.environment())


def rate(desk, runs):
    count = 5000
    files = desk.make("small", count, lambda: JPEG + os.urandom(10_230))
    ways = {"push": lambda: desk.push(files, 4), "send": lambda: desk.send(files, 4),
            "screen": lambda: desk.screen(files, 4, count), "curl": lambda: desk.curl(files, 4)}
    found = {way: [] for way in ways}
    for _ in range(runs):
        for way, run in ways.items():
            found[way].append(run())
    for way, times in found.items():
        print(f"  {way:<8} {count / statistics.median(t[0] for t in times):7.0f} files/s, "
              f"{statistics.median(t[1] for t in times):.2f} s of CPU time")
    for way in ["send", "screen"]:
        pairs = list(zip(found["push"], found[way]))
        check(f"{way}: files per second beside push's", statistics.median(p[0] / w[0] for p, w in pairs), 0.8, isMost=False)
        check(f"{way}: CPU time beside push's", statistics.median(w[1] / p[1] for p, w in pairs), 1.4)


def slow(desk, runs):
    for lanes, count, goal in [(4, 2000, 300), (32, 5000, 1500)]:
        files = desk.make(f"slow{lanes}", count, lambda: JPEG + os.urandom(10_230))
        syncs = f"{desk.folder}/syncs"
        disk, found = program("slow", "-shared", "-fPIC", "-ldl"), []
        for _ in range(runs):
            seconds = desk.send(files, lanes, LD_PRELOAD=disk, SYNCS=syncs)[0]
            with open(syncs) as text:
                found.append((count / seconds, int(text.read()) / count))
        check(f"{lanes} lanes, each sync takes 10 ms longer", statistics.median(f[0] for f in found), goal, "files/s", False)
        if lanes == 32:
            check("the same: syncs for each file", statistics.median(f[1] for f in found), 0.1)


def memory(desk, _):
    count = 200_000
    many = f"{desk.folder}/many"
    for number in range(200):
        desk.make(f"many/{number}", count // 200, lambda: b"0123456789")
    check("200,000 files by push: peak memory", desk.push(many, None)[2] / 1e6, 120, "MB")
    environment = desk.environment()
    queue = desk.add(many, environment, NOBODY)
    with subprocess.Popen([desk.hoist, "send", *queue], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as sender:
        check("200,000 waiting files by send: peak memory", peak(sender.pid), 200, "MB")
        sender.terminate()
    screen = desk.open(environment, queue)
    check("200,000 waiting files on the screen: peak memory", peak(screen.process, screen.read), 240, "MB")
    screen.leave()


def peak(process, read=lambda _: None):
    """The peak memory in MB of a process that has read its queue: it takes no more CPU time."""
    before, quiet = -1, 0
    while quiet < 3:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            read(0.1) or time.sleep(0.02)
        with open(f"/proc/{process}/stat") as stat:
            spent = sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        quiet = quiet + 1 if spent - before < 10 else 0
        before = spent
    with open(f"/proc/{process}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) / 1000


def types(desk, runs):
    words = b"The quick brown fox jumps over the lazy dog, and nothing comes of it.\n"
    kinds = {"JPEG": (lambda: JPEG + os.urandom(10_230), 1.5), "text": (lambda: (words * 150)[:10_240], 1.5),
             "random bytes": (lambda: os.urandom(10_240), 2)}
    named = desk.make("named", 2000, kinds["JPEG"][0])
    folders = {kind: desk.make(f"bare-{kind}", 2000, content, "") for kind, (content, _) in kinds.items()}
    found = {kind: [] for kind in kinds}
    for _ in range(runs):
        for kind, files in folders.items():
            found[kind].append(desk.push(files, 4)[0] / desk.push(named, 4)[0])
    for kind, (_, goal) in kinds.items():
        check(f"2,000 files without an extension, {kind}: beside .jpg", statistics.median(found[kind]), goal)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist", help="the release binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hoist-bench-")
    desk = Desk(os.path.abspath(options.hoist), folder)
    try:
        for work in [rate, slow, memory, types]:
            if options.only in (None, work.__name__):
                print(work.__name__, flush=True)
                work(desk, options.runs)
    finally:
        desk.sink.kill()
        shutil.rmtree(folder)
    sys.exit(1 if missed else 0)


main()
