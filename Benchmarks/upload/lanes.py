#!/usr/bin/env python3
"""The number of lanes that hoist finds, beside fixed numbers and curl -Z.

Over a line with 25 ms each way (a tunnel in a network namespace) to a server that thinks for 50 ms about each file; then
to servers that do not take any number, on this machine.

usage: lanes.py HOIST [--quick]     needs root, ip and curl
"""
import asyncio, argparse, collections, ctypes, json, os, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Attack"))
import link

CLONE_NEWNET = 0x40000000


class Server:
    """Discards what it gets, and refuses what is too much for it."""

    def __init__(self, think=0.0, workers=10**6, most=10**6, status=503, connections=10**6, rate=10**6):
        self.think, self.workers, self.most, self.status = think, workers, most, status
        self.connections, self.rate = connections, rate
        self.at_once = self.open = self.refused = 0
        self.arrived, self.times = collections.Counter(), collections.deque()
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
                writer.write(b"HTTP/1.1 %d -\r\nContent-Length: 0\r\n\r\n" % status)
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
            return status
        self.times.append(now)
        async with self.turns:
            await asyncio.sleep(self.think)
        self.arrived[path] += 1
        return 200


def timed(words, folder):
    start = time.monotonic()
    result = subprocess.run(words, cwd=folder, env={**os.environ, "HOME": folder}, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if result.returncode:
        sys.exit(f"{words[0]} failed: {result.stderr[-500:]}")
    return seconds, result.stdout


def push(hoist, url, folder, names, *options):
    """The seconds that a push takes, and how many requests were under way at once."""
    seconds, output = timed([hoist, "push", "--json", "--to", "here", "--config", "here.toml", *options, *names], folder)
    return seconds, json.loads(output.splitlines()[-1])["lanes"]


def configure(folder, url):
    with open(os.path.join(folder, "here.toml"), "w") as file:
        file.write(f'[targets.here]\nurl = "{url}/{{file.name}}"\nmethod = "PUT"\nbody = "binary"\n'
                   'retry = { attempts = 5, base = "500ms" }\n')


def write(folder, sizes):
    names = [f"{number}.bin" for number in range(len(sizes))]
    for name, size in zip(names, sizes):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"x" * size)
    return names


def over_a_line(hoist, what, sizes):
    server = Server(think=0.05)
    url = f"http://{link.THERE}:{server.port}"
    with tempfile.TemporaryDirectory() as folder:
        names = write(folder, sizes)
        configure(folder, url)
        with open(os.path.join(folder, "curl"), "w") as file:
            file.write("next\n".join(f'url = "{url}/{name}"\nupload-file = "{name}"\noutput = "/dev/null"\n' for name in names))
        curl, _ = timed(["curl", "-s", "-Z", "--config", "curl"], folder)
        fixed = {lanes: push(hoist, url, folder, names, "--concurrency", str(lanes))[0] for lanes in (4, 16, 32)}
        found, lanes = push(hoist, url, folder, names)
    print(f"{what}: {found:.2f} s with up to {lanes} lanes, {min(fixed.values()) / found:.2f} of the best fixed number "
          f"({', '.join(f'{lanes}: {seconds:.2f} s' for lanes, seconds in fixed.items())}), "
          f"{curl / found:.2f} of curl -Z ({curl:.2f} s)", flush=True)


def refused(hoist, what, count, **limits):
    server = Server(**limits)
    with tempfile.TemporaryDirectory() as folder:
        names = write(folder, [10_240] * count)
        configure(folder, f"http://127.0.0.1:{server.port}")
        seconds, lanes = push(hoist, "", folder, names)
    twice = sum(times > 1 for times in server.arrived.values())
    print(f"{what}: {len(server.arrived)} of {count} arrived, {twice} twice, {server.refused} refused, "
          f"{seconds:.1f} s with up to {lanes} lanes", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    hoist = os.path.abspath(options.hoist)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        sys.exit("needs root")
    link.Line(0.025)
    count = 300 if options.quick else 2000
    over_a_line(hoist, f"{count} x 10 KiB", [10_240] * count)
    mixed = [(4096, 20_480, 300_000)[number % 3] for number in range(count // 4)]
    over_a_line(hoist, f"{len(mixed)} of 4 to 300 kB", mixed)
    count //= 2
    refused(hoist, "one worker", count, workers=1, think=0.01)
    refused(hoist, "503 above 8", count, most=8, think=0.05)
    refused(hoist, "no more than 10 connections", count, connections=10, think=0.05)
    refused(hoist, "429 above 20 each second", min(count, 400), rate=20)
    refused(hoist, "500 above 6", min(count, 400), most=6, status=500, think=0.02)


main()
