#!/usr/bin/env python3
"""How exactly limits are kept: what reaches the server in any three seconds after the first one.

A limit of 300 kB/s for one file of 10 MB, for 1,000 files of 10 kB, and changed to 600 kB/s while it
runs; two targets with limits of their own at once. usage: limits.py HOIST
"""
import argparse, bisect, os, re, shutil, socket, subprocess, sys, tempfile, threading, time


class Server:
    """Counts the bytes of bodies as they come."""

    def __init__(self):
        self.log, self.total, self.lock = [], 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def note(self, count):
        with self.lock:
            self.total += count
            self.log.append((time.monotonic(), self.total))

    def serve(self, connection):
        kept = b""
        while True:
            while b"\r\n\r\n" not in kept:
                piece = connection.recv(65536)
                if not piece:
                    return
                kept += piece
            head, kept = kept.split(b"\r\n\r\n", 1)
            left = int(re.search(rb"content-length: (\d+)", head.lower())[1])
            if b"expect:" in head.lower():
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while left:
                piece, kept = kept[:left] or connection.recv(65536), b""
                if not piece:
                    return
                left -= len(piece)
                self.note(len(piece))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def windows(log, begin, end):
    """The rates of all stretches of three seconds between two moments, in bytes a second."""
    times = [moment for moment, _ in log]
    at = lambda moment: log[max(0, bisect.bisect_right(times, moment) - 1)][1]
    rates, moment = [], begin
    while moment + 3 <= end:
        rates.append((at(moment + 3) - at(moment)) / 3)
        moment += 0.1
    return rates


def judge(title, server, rate, begin=None, end=None):
    begin = server.log[0][0] + 1 if begin is None else begin
    rates = windows(server.log, begin, server.log[-1][0] if end is None else end)
    low, high = min(rates) / rate, max(rates) / rate
    print(f"  {title:44} {low:5.3f} to {high:5.3f} of the limit", flush=True)
    return 0.97 <= low and high <= 1.03


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hoist-limits-")
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")

    def make(name, size):
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            out.write(os.urandom(size))
        return path

    def push(server, files, *words):
        url = f"http://127.0.0.1:{server.port}/upload"
        subprocess.run([options.hoist, "push", "--quiet", "--to", url, "--limit", "300kB/s", *words, *files], check=True)

    try:
        print("limits")
        exact = True
        large, small = make("large.bin", 10_000_000), [make(f"{n}.bin", 10_000) for n in range(1000)]
        server = Server()
        push(server, [large])
        exact = judge("300 kB/s, one file of 10 MB", server, 300_000) and exact
        server = Server()
        push(server, small)
        exact = judge("300 kB/s, 1,000 files of 10 kB, with their heads", server, 300_000) and exact

        # The plain screen takes commands as lines.
        server = Server()
        command = [options.hoist, "--plain", "--queue", os.path.join(folder, "queue.sqlite"), "--to", f"http://127.0.0.1:{server.port}/upload", large]
        screen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        screen.stdin.write("limit 300kB/s\n")
        screen.stdin.flush()
        time.sleep(8)
        changed = time.monotonic()
        screen.stdin.write("limit 600kB/s\n")
        screen.stdin.flush()
        while server.total < 10_000_000:
            time.sleep(0.1)
        screen.stdin.write("quit\n")
        screen.stdin.close()
        screen.wait()
        exact = judge("600 kB/s, changed from 300 under way", server, 600_000, begin=changed + 1) and exact

        servers = [Server(), Server()]
        config = os.path.join(folder, "config.toml")
        with open(config, "w") as out:
            for name, server, rate in (("slow", servers[0], "200 kB/s"), ("fast", servers[1], "500 kB/s")):
                out.write(f'[targets.{name}]\nurl = "http://127.0.0.1:{server.port}/upload"\nrate_limit = "{rate}"\n')
        queue = os.path.join(folder, "queue")
        other = make("other.bin", 4_000_000)
        for name, file in (("slow", other), ("fast", large)):
            subprocess.run([options.hoist, "add", "--config", config, "--queue", queue, "--to", name, file],
                           check=True, stdout=subprocess.DEVNULL)
        screen = subprocess.Popen([options.hoist, "--plain", "--config", config, "--queue", queue, "--to", "fast"],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        while servers[0].total < 4_000_000 or servers[1].total < 10_000_000:
            time.sleep(0.1)
        screen.stdin.write("quit\n")
        screen.stdin.close()
        screen.wait()
        exact = judge("200 kB/s of one target, beside another", servers[0], 200_000) and exact
        exact = judge("500 kB/s of the other", servers[1], 500_000) and exact
        print("  within 3 %" if exact else "  NOT within 3 %")
    finally:
        shutil.rmtree(folder)


main()
