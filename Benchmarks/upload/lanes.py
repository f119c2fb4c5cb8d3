#!/usr/bin/env python3
"""The number of lanes that hoist finds, beside fixed numbers and curl -Z.

Over lines with 25 ms each way, in a network namespace of their own: small files and mixed ones to a server that thinks
for 50 ms about each, by `push`, by `send` and on the screen; a home's uplink and a faster one, each with a queue in front
of it; one file in pieces over a line that loses packets. Then to servers that do not take any number, on this machine.

usage: lanes.py HOIST [--quick] [--only PART]     needs root, ip, cc and curl
"""
import asyncio, argparse, collections, ctypes, http.client, json, os, shutil, statistics, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../screen"), os.path.join(HERE, "../../Tests/Attack")]
from terminal import Screen  # Before pieces, which looks for others first.
import link, pieces

CLONE_NEWNET = 0x40000000
DELAY = 0.025


class Server:
    """Discards what it gets, and refuses what is too much for it."""

    def __init__(self, think=0.0, workers=10**6, most=10**6, status=503, connections=10**6, rate=10**6, wait=None):
        self.think, self.workers, self.most, self.status = think, workers, most, status
        self.connections, self.rate, self.wait = connections, rate, wait
        self.at_once = self.open = self.refused = 0
        self.arrived, self.times, self.last = collections.Counter(), collections.deque(), 0
        self.refusals = collections.Counter()
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self.run(ready)), daemon=True).start()
        ready.wait()

    async def run(self, ready):
        self.turns = asyncio.Semaphore(self.workers)
        server = await asyncio.start_server(self.serve, "0.0.0.0", 0, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await server.serve_forever()

    async def serve(self, reader, writer):
        self.open += 1
        try:
            if self.open > self.connections:
                self.refused += 1
                writer.transport.abort()
                return
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").lower()
                if "expect:" in head:
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                self.at_once += 1
                try:
                    await reader.readexactly(int(head.split("content-length:")[1].split()[0]))
                    status = await self.answer(head.split(" ")[1])
                finally:
                    self.at_once -= 1
                after = f"Retry-After: {self.wait}\r\n" if status == 429 and self.wait else ""
                writer.write(f"HTTP/1.1 {status} -\r\n{after}Content-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def answer(self, path):
        now = time.monotonic()
        while self.times and self.times[0] <= now - 1:
            self.times.popleft()
        status = self.status if self.at_once > self.most else 429 if len(self.times) >= self.rate else 200
        if status != 200:
            self.refused += 1
            self.refusals[path] += 1
            return status
        self.times.append(now)
        async with self.turns:
            await asyncio.sleep(self.think)
        self.arrived[path] += 1
        self.last = time.monotonic()
        return 200


class Folder:
    """Files, and how hoist and curl send them."""

    def __init__(self, hoist, url, sizes):
        self.hoist, self.url, self.folder = hoist, url, tempfile.TemporaryDirectory(prefix="hoist-lanes-")
        self.path = self.folder.name
        self.names = [f"{number}.bin" for number in range(len(sizes))]
        for name, size in zip(self.names, sizes):
            with open(os.path.join(self.path, name), "wb") as file:
                for _ in range(0, size, 1 << 20):
                    file.write(os.urandom(min(size, 1 << 20)))
        self.configure(f'url = "{url}/{{file.name}}"\nmethod = "PUT"\nbody = "binary"\n')

    def configure(self, target):
        with open(os.path.join(self.path, "here.toml"), "w") as file:
            file.write(f'[targets.here]\n{target}retry = {{ attempts = 5, base = "500ms" }}\n')

    def timed(self, *words):
        start = time.monotonic()
        result = subprocess.run(words, cwd=self.path, env={**os.environ, "HOME": self.path}, capture_output=True, text=True)
        seconds = time.monotonic() - start
        if result.returncode:
            sys.exit(f"{' '.join(words[:4])} failed: {result.stderr[-500:] or result.stdout[-500:]}")
        return seconds, result.stdout

    def push(self, lanes=None):
        """The seconds that a push takes, and how many requests were under way at once."""
        options = ["--concurrency", str(lanes)] if lanes else []
        seconds, output = self.timed(self.hoist, "push", "--json", "--to", "here", "--config", "here.toml", *options, *self.names)
        return seconds, json.loads(output.splitlines()[-1])["lanes"]

    def send(self):
        """The seconds that the queue's sender takes."""
        self.timed(self.hoist, "add", "--to", "here", "--config", "here.toml", *self.names)
        return self.timed(self.hoist, "send", "--config", "here.toml")[0]

    def screen(self, server):
        """The seconds from the start of the screen to the end of the last file."""
        # It would ask whether to send files again that the history knows.
        shutil.rmtree(f"{self.path}/.local", ignore_errors=True)
        os.makedirs(f"{self.path}/run", mode=0o700)
        before, start = len(server.arrived), time.monotonic()
        screen = Screen(self.hoist, self.path, ["--fresh", "--to", "here", "--config", "here.toml", *self.names])
        while sum(server.arrived.values()) < before + len(self.names):
            screen.read(0.05)
        seconds = server.last - start
        screen.leave()
        return seconds

    def curl(self):
        with open(os.path.join(self.path, "curl"), "w") as file:
            file.write("next\n".join(f'url = "{self.url}/{name}"\nupload-file = "{name}"\noutput = "/dev/null"\n'
                                     for name in self.names))
        return self.timed("curl", "-s", "-Z", "--config", "curl")[0]


class Small:
    """A small request on a connection of its own, now and then, beside whatever else is sent."""

    def __init__(self, server):
        self.server, self.seconds, self.isOver = server, [], False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.isOver:
            start = time.monotonic()
            connection = http.client.HTTPConnection(link.THERE, self.server.port)
            connection.request("PUT", "/small", b"x" * 10_240)
            connection.getresponse().read()
            connection.close()
            self.seconds.append(time.monotonic() - start)
            time.sleep(0.5)

    def end(self):
        self.isOver = True
        self.thread.join()
        return statistics.median(self.seconds)


def compared(found, lanes, fixed, curl=None):
    """The time with the number that was found, beside others."""
    others = ", ".join(f"{number}: {seconds:.2f} s" for number, seconds in fixed.items())
    text = f"{found:.2f} s with up to {lanes} lanes, {min(fixed.values()) / found:.2f} of the best fixed number ({others})"
    return text if curl is None else f"{text}, {curl / found:.2f} of curl -Z ({curl:.2f} s)"


def over_a_line(hoist, carrier, what, sizes, everywhere=False):
    server = Server(think=0.05)
    line = link.Line(DELAY, carrier=carrier)
    files = Folder(hoist, f"http://{link.THERE}:{server.port}", sizes)
    curl = files.curl()
    fixed = {lanes: files.push(lanes)[0] for lanes in (4, 16, 32)}
    print(f"{what}: {compared(*files.push(), fixed, curl)}", flush=True)
    if everywhere:
        server.arrived.clear()
        print(f"  by send {files.send():.2f} s", flush=True)
        server.arrived.clear()
        print(f"  on the screen {files.screen(server):.2f} s", flush=True)
    line.close()


def over_an_uplink(hoist, carrier, what, sizes, megabits, queue):
    """Also what becomes of a small request meanwhile."""
    server = Server()
    line = link.Line(DELAY, carrier=carrier, uplink=[server.port, megabits * 125_000, queue])
    files = Folder(hoist, f"http://{link.THERE}:{server.port}", sizes)
    small = Small(server)
    time.sleep(3)
    waits = {"nothing": small.end()}

    def beside(name, run):
        small = Small(server)
        result = run()
        waits[name] = small.end()
        return result

    curl = beside("curl -Z", files.curl)
    fixed = {lanes: beside(f"{lanes} lanes", lambda: files.push(lanes)[0]) for lanes in (4, 32)}
    found = beside("those found", files.push)
    print(f"{what}: {compared(*found, fixed, curl)}", flush=True)
    print(f"  a small request takes beside " + ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in waits.items())
          + f": {waits['those found'] / waits['4 lanes']:.2f} of four lanes", flush=True)
    line.close()


def in_pieces(hoist, carrier, size, numbers):
    server = pieces.Server()
    line = link.Line(DELAY, loss=0.001, carrier=carrier)
    files = Folder(hoist, f"http://{link.THERE}:{server.port}", [size << 20])
    files.configure(f'''url = "{files.url}/up"
pieces.size = "5 MiB"
pieces.piece = {{ method = "PUT", url = "{{url}}/{{piece.number}}", values = {{ tag = {{ header = "ETag" }} }} }}
pieces.finish = {{ method = "POST", url = "{{url}}/finish/{{file.size}}", text = "{{pieces}}" }}
pieces.each = {{ text = "{{piece.number}} {{piece.tag}};" }}
''')
    found = files.push()
    fixed = {lanes: files.push(lanes)[0] for lanes in numbers}
    print(f"{size} MiB in pieces of 5 MiB, 0.1 % lost: {compared(*found, fixed)}", flush=True)
    line.close()


def refused(hoist, what, count, **limits):
    server = Server(**limits)
    files = Folder(hoist, f"http://127.0.0.1:{server.port}", [10_240] * count)
    seconds, lanes = files.push()
    twice = sum(times > 1 for times in server.arrived.values())
    most = max(server.refusals.values(), default=0)
    print(f"{what}: {len(server.arrived)} of {count} arrived, {twice} twice, {server.refused} refused, no file more than "
          f"{most} times, {seconds:.1f} s with up to {lanes} lanes", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["small", "mixed", "home", "uplink", "pieces", "servers"], action="append")
    options = parser.parse_args()
    hoist = os.path.abspath(options.hoist)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        sys.exit("needs root")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    part = lambda name: not options.only or name in options.only
    tools = tempfile.TemporaryDirectory(prefix="hoist-line-")
    carrier = os.path.join(tools.name, "line")
    subprocess.run(["cc", "-O2", "-o", carrier, os.path.join(HERE, "line.c")], check=True)
    scale = 8 if options.quick else 1
    count = 2000 // scale
    if part("small"):
        over_a_line(hoist, carrier, f"{count} x 10 KiB", [10_240] * count, everywhere=True)
    if part("mixed"):
        mixed = [(4096, 20_480, 300_000)[number % 3] for number in range(count // 4)]
        over_a_line(hoist, carrier, f"{len(mixed)} of 4 to 300 kB", mixed)
    if part("home"):
        count = 40 // scale
        over_an_uplink(hoist, carrier, f"{count} x 1 MiB over 8 Mbit/s", [1 << 20] * count, 8, 0.5)
    if part("uplink"):
        count = 300 // scale
        over_an_uplink(hoist, carrier, f"{count} x 1 MiB over 100 Mbit/s", [1 << 20] * count, 100, 0.1)
    if part("pieces"):
        in_pieces(hoist, carrier, 512 // scale, (4, 32))
        # With four lanes, that would take four minutes.
        in_pieces(hoist, carrier, 1024 // scale, (32,))
    if part("servers"):
        count = 1000 // scale
        refused(hoist, "one worker", count, workers=1, think=0.01)
        refused(hoist, "503 above 8", count, most=8, think=0.05)
        refused(hoist, "no more than 10 connections", count, connections=10, think=0.05)
        refused(hoist, "429 above 20 each second", min(count, 400), rate=20)
        refused(hoist, "the same with Retry-After", min(count, 400), rate=20, wait=1)
        refused(hoist, "500 above 6", min(count, 400), most=6, status=500, think=0.02)


main()
