#!/usr/bin/env python3
"""The number of lanes that hoist finds, beside fixed numbers and curl -Z.

Over lines with 25 ms each way, in a network namespace of their own: small files and mixed ones to a server that thinks
for 50 ms about each, by `push`, by `send` and on the screen; a home's uplink and a faster one, each with a queue in front
of it; one file in pieces over a line that loses packets. Then to servers that do not take any number, and on this machine, beside
four lanes. Figures are medians of the runs. Each goal is printed with what was measured, and whether it held.

usage: lanes.py HOIST [--quick] [--runs N] [--fixed LANES ...] [--peer HOIST] [--only PART]     needs root, ip, cc and curl
"""
import asyncio, argparse, collections, ctypes, http.client, json, os, shutil, statistics, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "../screen"), os.path.join(HERE, "../../Tests/Attack")]
from measuring import Sink, program
from terminal import Screen  # Before pieces, which looks for others first.
import link, pieces

CLONE_NEWNET = 0x40000000
DELAY = 0.025
runs, goals = 1, []


def goal(what, figure, least=None, most=None):
    """Prints a goal, and whether a figure reaches it."""
    held = figure >= least if most is None else figure <= most
    goals.append(held)
    limit = f"at least {least:g}" if most is None else f"at most {most:g}"
    print(f"  {'held    ' if held else 'NOT HELD'} {what}: {figure:.4g}, goal {limit}", flush=True)


def median(measure):
    return statistics.median(measure() for _ in range(runs))


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
        self.path, self.lanes = self.folder.name, 0
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

    def push(self, lanes=None, hoist=None):
        """The seconds that a push takes. Keeps the most requests that were under way at once in any."""
        options = ["--concurrency", str(lanes)] if lanes else []
        seconds, output = self.timed(
            hoist or self.hoist, "push", "--json", "--to", "here", "--config", "here.toml", *options, *self.names)
        if not lanes:
            self.lanes = max(self.lanes, json.loads(output.splitlines()[-1])["lanes"])
        return seconds

    def send(self):
        """The seconds that the queue's sender takes."""
        self.timed(self.hoist, "add", "--to", "here", "--config", "here.toml", *self.names)
        return self.timed(self.hoist, "send", "--config", "here.toml")[0]

    def screen(self, server):
        """The seconds from the start of the screen to the end of the last file."""
        # It would ask whether to send files again that the history knows.
        shutil.rmtree(f"{self.path}/.local", ignore_errors=True)
        os.makedirs(f"{self.path}/run", mode=0o700, exist_ok=True)
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
        return self.seconds


def pushed(files, what, numbers, beside=lambda name, run: run()):
    """The seconds that pushes take with fixed numbers of lanes, by number, and with those that are found."""
    # In turn, since other work on the machine comes and goes.
    times = {lanes: [] for lanes in [*numbers, None]}
    for _ in range(runs):
        for lanes, some in times.items():
            some.append(beside(f"{lanes} lanes" if lanes else "those found", lambda: files.push(lanes)))
    seconds = {lanes: statistics.median(some) for lanes, some in times.items()}
    others = ", ".join(f"{number}: {seconds[number]:.2f} s" for number in numbers)
    print(f"{what}: {seconds[None]:.2f} s with up to {files.lanes} lanes ({others})", flush=True)
    return seconds, seconds.pop(None)


def compare(found, fixed, how="by push"):
    goal(f"{how}, beside the best fixed number", min(fixed.values()) / found, least=0.75)


def over_a_line(hoist, carrier, what, sizes, numbers, everywhere=False):
    server = Server(think=0.05)
    line = link.Line(DELAY, carrier=carrier)
    files = Folder(hoist, f"http://{link.THERE}:{server.port}", sizes)
    fixed, push = pushed(files, what, numbers)
    found, curl = {"by push": push}, median(files.curl)
    print(f"  curl -Z {curl:.2f} s", flush=True)
    if everywhere:
        found["by send"] = median(lambda: server.arrived.clear() or files.send())
        found["on the screen"] = median(lambda: server.arrived.clear() or files.screen(server))
    for how, seconds in found.items():
        print(f"  {how} {seconds:.2f} s", flush=True)
        compare(seconds, fixed, how)
        goal(f"{how}, beside curl -Z", curl / seconds, least=0.5)
        if everywhere:
            goal(f"{how}, beside four lanes", fixed[4] / seconds, least=4)
    line.close()


def over_an_uplink(hoist, carrier, what, sizes, numbers, megabits, queue):
    """Also what becomes of a small request meanwhile."""
    server = Server()
    line = link.Line(DELAY, carrier=carrier, uplink=[server.port, megabits * 125_000, queue])
    files = Folder(hoist, f"http://{link.THERE}:{server.port}", sizes)
    waits = collections.defaultdict(list)

    def beside(name, run):
        small = Small(server)
        result = run()
        waits[name] += small.end()
        return result

    beside("nothing", lambda: time.sleep(3))
    fixed, found = pushed(files, what, numbers, beside)
    compare(found, fixed)
    curl = beside("curl -Z", lambda: median(files.curl))
    print(f"  curl -Z {curl:.2f} s", flush=True)
    medians = {name: statistics.median(some) for name, some in waits.items()}
    print("  a small request takes beside " + ", ".join(f"{name} {time * 1000:.0f} ms" for name, time in medians.items()))
    goal("a small request, beside that with four lanes", medians["those found"] / medians["4 lanes"], most=2)
    goal("lanes where four are enough", files.lanes, most=8)
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
    fixed, found = pushed(files, f"{size} MiB in pieces of 5 MiB, 0.1 % lost", numbers)
    compare(found, fixed)
    line.close()


def refused(hoist, what, count, most_refused, **limits):
    server = Server(**limits)
    files = Folder(hoist, f"http://127.0.0.1:{server.port}", [10_240] * count)
    seconds = files.push()
    print(f"{what}: {len(server.arrived)} of {count} arrived, {server.refused} refused, {seconds:.1f} s with up to "
          f"{files.lanes} lanes", flush=True)
    goal("files that did not arrive", count - len(server.arrived), most=0)
    goal("files that arrived twice", sum(times > 1 for times in server.arrived.values()), most=0)
    goal("refusals", server.refused, most=most_refused)
    goal("refusals of one file", max(server.refusals.values(), default=0), most=1)


def on_this_machine(hoist, peer, what, sizes):
    """Pairs of pushes: with the lanes that are found, and with four lanes by another hoist."""
    sink = Sink()
    files = Folder(hoist, f"http://127.0.0.1:{sink.port}", sizes)
    files.push()
    pairs = [(files.push(), files.push(4, peer)) for _ in range(max(5, runs))]
    sink.kill()
    found, fixed = (statistics.median(times) for times in zip(*pairs))
    print(f"{what} on this machine: {found:.2f} s with up to {files.lanes} lanes, {fixed:.2f} s with four", flush=True)
    goal("beside four lanes, in pairs", statistics.median(fixed / found for found, fixed in pairs), least=0.9)


def main():
    global runs
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--fixed", type=int, nargs="+", default=[4, 8, 16, 32])
    parser.add_argument("--peer", help="the hoist that sends with four lanes on this machine")
    parts = ["small", "mixed", "home", "uplink", "pieces", "servers", "here"]
    parser.add_argument("--only", choices=parts, action="append")
    options = parser.parse_args()
    runs, numbers = options.runs, options.fixed
    hoist = os.path.abspath(options.hoist)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        sys.exit("needs root")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    part = lambda name: not options.only or name in options.only
    carrier = program("line")
    scale = 8 if options.quick else 1
    if part("small"):
        count = 2000 // scale
        over_a_line(hoist, carrier, f"{count} x 10 KiB", [10_240] * count, numbers, everywhere=True)
    if part("mixed"):
        for count in (500 // scale, 1500 // scale):
            mixed = [(4096, 20_480, 300_000)[number % 3] for number in range(count)]
            over_a_line(hoist, carrier, f"{count} of 4 to 300 kB", mixed, numbers)
    if part("home"):
        count = 40 // scale
        over_an_uplink(hoist, carrier, f"{count} x 1 MiB over 8 Mbit/s", [1 << 20] * count, numbers, 8, 0.5)
    if part("uplink"):
        count = 300 // scale
        over_an_uplink(hoist, carrier, f"{count} x 1 MiB over 100 Mbit/s", [1 << 20] * count, numbers, 100, 0.1)
    if part("pieces"):
        # Takes three minutes; with four lanes, it would take four more.
        in_pieces(hoist, carrier, 1024 // scale, [number for number in numbers if number > 8])
    if part("servers"):
        count = 1000 // scale
        refused(hoist, "one worker", count, 0, workers=1, think=0.01)
        refused(hoist, "503 above 8", count, 8, most=8, think=0.05)
        refused(hoist, "no more than 10 connections", count, 8, connections=10, think=0.05)
        refused(hoist, "429 above 20 each second", min(count, 400), 12, rate=20)
        refused(hoist, "the same with Retry-After", min(count, 400), 12, rate=20, wait=1)
        refused(hoist, "500 above 6", min(count, 400), 2, most=6, status=500, think=0.02)
    if part("here"):
        peer = os.path.abspath(options.peer or hoist)
        on_this_machine(hoist, peer, f"{5000 // scale} x 10 KiB", [10_240] * (5000 // scale))
        on_this_machine(hoist, peer, "4 x 512 MiB", [(512 << 20) // scale] * 4)
    sys.exit(0 if all(goals) else 1)


main()
