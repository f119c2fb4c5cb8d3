#!/usr/bin/env python3
"""Whether several pieces of one file at once pay: parallel = 4 beside one piece after the other, in pairs.

Over a line with 50 ms each way that loses a packet in a thousand (a tunnel in a network namespace), and on this machine.
Then what a file of 10 GiB in 2,048 pieces takes of memory, and of the queue's file.

usage: pieces.py HOIST [--quick]     needs root and ip
"""
import argparse, ctypes, os, re, shutil, socket, statistics, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Attack"))
import link

CLONE_NEWNET = 0x40000000
PIECE = 5 << 20


class Server:
    """Takes pieces in any order and discards them; `finish` fails unless it has all bytes."""

    def __init__(self):
        self.bytes, self.lock = 0, threading.Lock()
        self.listener = socket.create_server(("", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        kept, room = b"", bytearray(1 << 20)
        while True:
            while b"\r\n\r\n" not in kept:
                some = connection.recv(65536)
                if not some:
                    return
                kept += some
            head, kept = kept.split(b"\r\n\r\n", 1)
            length = int((re.search(rb"content-length: (\d+)", head.lower()) or [0, 0])[1])
            if b"expect:" in head.lower():
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            left, kept = length - len(kept[:length]), kept[length:]
            while left:
                count = connection.recv_into(room, min(left, len(room)))
                if not count:
                    return
                left -= count
            status = b"200 OK"
            with self.lock:
                if head.startswith(b"PUT "):
                    self.bytes += length
                elif head.startswith(b"POST /up/finish/"):
                    if self.bytes != int(head.split(b" ")[1].split(b"/")[3]):
                        status = b"409 Conflict"
                    self.bytes = 0
            connection.sendall(b'HTTP/1.1 %b\r\nETag: "%032x"\r\nContent-Length: 0\r\n\r\n' % (status, self.bytes))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    hoist = os.path.abspath(options.hoist)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        sys.exit(f"pieces.py: a network namespace needs root: {os.strerror(ctypes.get_errno())}")
    link.Line(0.05, loss=0.001)
    server = Server()
    folder = tempfile.mkdtemp(prefix="hoist-pieces-")
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")

    config = os.path.join(folder, "config.toml")

    def configure(address, parallel):
        with open(config, "w") as out:
            out.write(f"""default_target = "bench"
[targets.bench]
url = "http://{address}:{server.port}/up"
[targets.bench.pieces]
size = "{PIECE >> 20} MiB"
parallel = {parallel}
piece = {{ method = "PUT", url = "{{url}}/{{piece.number}}", values = {{ tag = {{ header = "ETag" }} }} }}
finish = {{ method = "POST", url = "{{url}}/finish/{{file.size}}", text = "{{pieces}}" }}
each = {{ text = "{{piece.number}} {{piece.tag}};" }}
""")

    def push(address, parallel, path):
        """How long a push takes, in seconds."""
        configure(address, parallel)
        begin = time.monotonic()
        subprocess.run([hoist, "push", "--quiet", "--config", config, path], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begin

    held = True
    try:
        for title, address, size, pairs, least in [
            ("50 ms each way, 0.1 % lost", link.THERE, 40 << 20, 1 if options.quick else 3, 3),
            ("on this machine", "127.0.0.1", 1 << 30, 3 if options.quick else 9, 0.95),
        ]:
            path = os.path.join(folder, "file.bin")
            with open(path, "wb") as out:
                for _ in range(size >> 20):
                    out.write(os.urandom(1 << 20))
            ratios = []
            for number in range(pairs):
                order = [1, 4] if number % 2 == 0 else [4, 1]
                times = {parallel: push(address, parallel, path) for parallel in order}
                ratios.append(times[1] / times[4])
            ratio = statistics.median(ratios)
            held = held and ratio >= least
            print(f"  {size >> 20} MiB, 4 pieces at once, {title:28} {ratio:5.2f} of one at a time"
                  f"  ({min(ratios):.2f} to {max(ratios):.2f}, {pairs} pairs)", flush=True)
        os.truncate(path, 10 << 30)
        configure("127.0.0.1", 4)
        subprocess.run([hoist, "add", "--config", config, path], check=True, stdout=subprocess.DEVNULL)
        sender = subprocess.Popen([hoist, "send", "--config", config], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(sender.pid, 0)
        if status != 0:
            sys.exit(f"pieces.py: hoist send ended with {os.waitstatus_to_exitcode(status)}")
        peak, kept = usage.ru_maxrss * 1024 / 1e6, os.path.getsize(os.path.join(folder, "state/hoist/queue.sqlite")) / 1e3
        held = held and peak <= 45 and kept <= 1000
        print(f"  10 GiB in 2,048 pieces, 4 at once: peak memory {peak:.1f} MB, the queue's file {kept:.0f} kB", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
