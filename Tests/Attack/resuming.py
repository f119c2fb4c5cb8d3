"""Lines that are cut, senders that are killed, receivers that are killed: one file arrives, and little is sent twice."""

import contextlib
import hashlib
import os
import signal
import socket
import struct
import subprocess
import threading
import time

from common import Count, Place, Receiver, source, wait_until

BUFFER = 128 << 10


class CuttingProxy:
    """Passes bytes on, and cuts the connection each time that this many bytes have gone up."""

    def __init__(self, port, cuts, draw):
        self.port, self.cuts, self.draw = port, sorted(cuts), draw
        self.up = self.lost = self.made = 0
        self.lock = threading.Lock()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.socket.close()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
                server = socket.socket()
                server.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
                server.connect(("127.0.0.1", self.port))
            except OSError:
                return
            threading.Thread(target=self.pass_up, args=(client, server), daemon=True).start()
            threading.Thread(target=self.pass_down, args=(server, client), daemon=True).start()

    def pass_up(self, client, server):
        while True:
            try:
                data = client.recv(65536)
                if not data:
                    break
                with self.lock:
                    self.up += len(data)
                    is_cut = bool(self.cuts) and self.up >= self.cuts[0]
                    if is_cut:
                        del self.cuts[0]
                        self.made += 1
                        # Neither this piece nor what lies in the buffers on both sides need arrive, nor what the
                        # receiver has not read yet: a reset throws that away, too.
                        self.lost += len(data) + 2 * BUFFER
                        is_reset = self.draw.random() < 0.5
                        if is_reset:
                            self.lost += unread(server)
                if is_cut:
                    if is_reset:
                        reset(server)
                    reset(client)
                    break
                server.sendall(data)
            except OSError:
                break
        end(client)
        end(server)

    def pass_down(self, server, client):
        while True:
            try:
                data = server.recv(65536)
                if not data:
                    break
                client.sendall(data)
            except OSError:
                break
        end(client)
        end(server)


def unread(connection):
    """How many bytes the program at the other end, on this machine, has not read."""
    ends = [f"0100007F:{port:04X}" for port in (connection.getpeername()[1], connection.getsockname()[1])]
    with open("/proc/net/tcp") as table:
        for line in table:
            words = line.split()
            if words[1:3] == ends:
                return int(words[4].partition(":")[2], 16)
    return 0


def reset(connection):
    # Wakes up the thread that reads from it: as long as one does, close() closes nothing.
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RD)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


# The two protocols, and where the receiver speaks each: a file by itself, and an ordinary form.
PATHS = {"tus": "/files", "http": "/upload"}


def configure(place, url, chunk=None, protocol="tus"):
    # Servers that are given a chunk at a time keep nothing of a request that broke off.
    attempts = 40 if chunk else 5
    lines = [f'[targets.{protocol}]', f'url = "{url}{PATHS[protocol]}"', f'resume = "{protocol}"',
             f'retry = {{ base = "0.01s", max = "0.1s", attempts = {attempts} }}']
    if chunk:
        lines.append(f'chunk = "{chunk}"')
    path = os.path.join(place.folder("config", "hoist"), "config.toml")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def make_file(path, size, draw):
    """Bytes that repeat nowhere soon. Returns their sum."""
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        while size > 0:
            piece = draw.randbytes(min(size, 1 << 20))
            file.write(piece)
            digest.update(piece)
            size -= len(piece)
    return digest.hexdigest()


def sum_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def arrived(folder):
    return [name for name in os.listdir(folder) if not name.startswith(".")]


def offset(folder):
    """How many bytes lie there of an upload that is not whole."""
    sizes = []
    for name in os.listdir(folder):
        if name.startswith(".hoist-upload-") and name.endswith(".data"):
            try:
                sizes.append(os.path.getsize(os.path.join(folder, name)))
            except FileNotFoundError:
                pass
    return max(sizes, default=None)


def check(count, place, receiver, digest):
    names = arrived(receiver.folder)
    if names != ["large.bin"]:
        count.fail("files", f"{names} arrived")
    elif sum_of(os.path.join(receiver.folder, names[0])) != digest:
        count.fail("content", "what arrived is not what was sent")
    left = offset(receiver.folder)
    if left is not None:
        count.fail("leftovers", f"{left} bytes of an upload are left")


def lines(hoist, seed, size, cuts, protocol):
    """The line is cut again and again."""
    count = Count(f"cut lines, {protocol}", f"{size >> 20} MiB, cut {cuts} times, arrive once, byte for byte", cuts)
    draw = source(seed, "cuts")
    with Place(hoist, "cuts") as place, Receiver(place, "inbox") as receiver:
        digest = make_file(place.file("large.bin"), size, draw)
        proxy = CuttingProxy(receiver.port, [draw.randrange(1, size) for _ in range(cuts)], draw)
        configure(place, proxy.url, protocol=protocol)
        status, _, errors = place.run("push", "--to", protocol, "large.bin")
        proxy.close()
        if status != 0:
            count.fail("status", f"{status}: {errors[-500:]}")
        check(count, place, receiver, digest)
        if proxy.made != cuts:
            count.fail("cuts", f"only {proxy.made} were made")
        allowed = 1.05 * size + proxy.lost
        count.remarks.append(f"{proxy.up / size:.4f} times its size on the wire")
        if proxy.up > allowed:
            count.fail("wire", f"{proxy.up} bytes went up, {allowed:.0f} are allowed")
    return count


def senders(hoist, seed, size, kills, protocol, pace):
    """The sender is killed again and again."""
    count = Count(f"killed senders, {protocol}", f"{size >> 20} MiB, the sender killed {kills} times, arrive once", kills)
    draw = source(seed, "senders")
    with Place(hoist, "senders") as place, Receiver(place, "inbox") as receiver:
        digest = make_file(place.file("large.bin"), size, draw)
        proxy = CuttingProxy(receiver.port, [], draw)
        configure(place, proxy.url, protocol=protocol)
        # What has just changed is not believed after a kill.
        time.sleep(0.5)
        place.run("add", "--to", protocol, "large.bin")
        lost = 0
        for moment in sorted(draw.randrange(0, size * 7 // 8) for _ in range(kills)):
            sender = place.start("send", "--limit", f"{pace}B/s")
            wait_until(lambda: sender.poll() is not None or (offset(receiver.folder) or 0) >= moment)
            if sender.poll() is not None:
                count.fail(moment, f"ended with {sender.returncode} before it was killed")
                break
            sender.send_signal(signal.SIGKILL)
            sender.wait()
            lost += 4 * BUFFER
        status, _, errors = place.run("send")
        proxy.close()
        if status != 0:
            count.fail("status", f"{status}: {errors[-500:]}")
        check(count, place, receiver, digest)
        count.remarks.append(f"{proxy.up / size:.4f} times its size on the wire")
        if proxy.up > 1.05 * size + lost:
            count.fail("wire", f"{proxy.up} bytes went up")
    return count


def receivers(hoist, seed, size, kills, protocol, pace):
    """The receiver is killed again and again."""
    count = Count(f"killed receivers, {protocol}", f"{size >> 20} MiB, the receiver killed {kills} times, arrive once", kills)
    draw = source(seed, "receivers")
    with Place(hoist, "receivers") as place:
        digest = make_file(place.file("large.bin"), size, draw)
        receiver = Receiver(place, "inbox")
        configure(place, f"http://127.0.0.1:{receiver.port}", protocol=protocol)
        sender = place.start(
            "push", "--to", protocol, "--attempts", "100", "--limit", f"{pace}B/s", "large.bin",
            errors=subprocess.PIPE)
        for moment in sorted(draw.randrange(0, size * 7 // 8) for _ in range(kills)):
            wait_until(lambda: sender.poll() is not None or (offset(receiver.folder) or 0) >= moment)
            if sender.poll() is not None:
                count.fail(moment, f"hoist ended with {sender.returncode} before the receiver was killed")
                break
            receiver.process.send_signal(signal.SIGKILL)
            receiver.process.wait()
            receiver.errors.close()
            receiver = Receiver(place, "inbox", "--port", str(receiver.port))
        errors = sender.communicate(timeout=600)[1].decode()
        if sender.returncode != 0:
            count.fail("status", f"{sender.returncode}: {errors[-500:]}")
        check(count, place, receiver, digest)
        receiver.__exit__()
    return count


def run(hoist, seed, quick):
    size, often = {0: (1 << 30, 40), 1: (24 << 20, 4)}.get(quick, (12 << 20, 2))
    # So slow that all kills come before the end.
    pace = size // 8
    return [count for protocol in PATHS for count in (
        lines(hoist, seed, size, often, protocol), senders(hoist, seed, size, often, protocol, pace),
        receivers(hoist, seed, size, often, protocol, pace))]
