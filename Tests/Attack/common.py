"""What the attacks share: a place of their own, the program, and a server that sees all that arrives."""

import collections
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse


class Place:
    """A folder in which hoist has everything that it may touch, for one attack."""

    def __init__(self, hoist, name):
        self.hoist = hoist
        self.path = tempfile.mkdtemp(prefix=f"hoist-test-attack-{name}-")
        self.environment = {
            "HOME": self.path,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "TMPDIR": self.folder("tmp"),
            "XDG_RUNTIME_DIR": self.folder("run"),
            "XDG_STATE_HOME": self.folder("state"),
            "XDG_CONFIG_HOME": self.folder("config"),
            "LANG": "C.UTF-8",
        }
        self.children = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.wait()
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, *names):
        return os.path.join(self.path, *names)

    def folder(self, *names):
        os.makedirs(self.file(*names), exist_ok=True)
        return self.file(*names)

    def start(self, *arguments, output=subprocess.DEVNULL, errors=subprocess.DEVNULL, input=subprocess.DEVNULL):
        """Starts hoist. Whatever happens, it ends with this place."""
        child = subprocess.Popen(
            [self.hoist, *arguments], cwd=self.path, env=self.environment,
            stdin=input, stdout=output, stderr=errors)
        self.children.append(child)
        return child

    def run(self, *arguments, timeout=600):
        """Runs hoist to its end: its exit status, output and errors."""
        done = subprocess.run(
            [self.hoist, *arguments], cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=timeout)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def lines(self, *arguments):
        """The JSON lines that a command of hoist prints."""
        status, output, errors = self.run(*arguments, "--json")
        if status != 0:
            raise RuntimeError(f"hoist {' '.join(arguments)}: {errors}")
        return [json.loads(line) for line in output.splitlines()]


class Visit:
    """A request whose body arrived whole."""

    def __init__(self, name, content, began, ended):
        self.name, self.content, self.began, self.ended = name, content, began, ended


class Server:
    """Takes forms with one file each and keeps what arrived whole, answered or not.

    `during(name, received, total)` is called while a body arrives; `delay()` gives the seconds before a reply,
    `answer(content)` what its field X-Sum says, and `known(path)` whether a GET finds something.
    """

    def __init__(self, during=None, delay=None, receive_buffer=None, keeps=True, piece=65536, answer=None, known=None):
        self.during, self.delay, self.keeps, self.piece, self.answer = during, delay, keeps, piece, answer
        self.known = known
        self.visits = []
        self.lock = threading.Lock()
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(512)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/upload"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def arrived(self):
        with self.lock:
            return list(self.visits)

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError, ValueError):
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    got = connection.recv(self.piece)
                    if not got:
                        return
                    rest += got
                began = time.monotonic()
                head, _, rest = rest.partition(b"\r\n\r\n")
                if head.startswith(b"GET "):
                    found = self.known(head.split(b" ")[1].decode())
                    status = b"200 OK" if found else b"404 Not Found"
                    connection.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
                    continue
                fields = {}
                for line in head.split(b"\r\n")[1:]:
                    key, _, value = line.partition(b":")
                    fields[key.strip().lower()] = value.strip()
                if fields.get(b"expect", b"").lower() == b"100-continue":
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                total = int(fields[b"content-length"])
                body, name = bytearray(rest[:total]), None
                rest = rest[total:]
                while True:
                    if name is None and b"\r\n\r\n" in body:
                        name = file_name(bytes(body.partition(b"\r\n\r\n")[0]))
                    if self.during and name is not None:
                        self.during(name, len(body), total)
                    if len(body) == total:
                        break
                    got = connection.recv(min(self.piece, total - len(body)))
                    if not got:
                        return
                    body += got
                content = file_content(bytes(body), fields[b"content-type"])
                visit = Visit(
                    name, content if self.keeps else hashlib.sha256(content).digest(), began, time.monotonic())
                with self.lock:
                    self.visits.append(visit)
                if self.delay:
                    time.sleep(self.delay())
                digest = self.answer(content) if self.answer else None
                field = f"X-Sum: {digest}\r\n".encode() if digest else b""
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + field + b"Content-Length: 2\r\n\r\nok")


def file_name(part_head):
    _, _, rest = part_head.partition(b'filename="')
    return rest.partition(b'"')[0].decode(errors="surrogateescape")


def file_content(body, content_type):
    _, _, boundary = content_type.partition(b"boundary=")
    end = b"\r\n--" + boundary.strip(b'"') + b"--"
    content = body.partition(b"\r\n\r\n")[2]
    position = content.rfind(end)
    if position < 0:
        raise ValueError("a form without an end")
    return content[:position]


class Receiver:
    """`hoist receive`, in a folder of the place."""

    def __init__(self, place, folder, *arguments):
        self.folder = place.folder(folder)
        self.errors = open(place.file("receiver-errors"), "wb")
        self.process = place.start(
            "receive", "--port", "0", "--dir", self.folder, "--no-sync", *arguments,
            output=subprocess.PIPE, errors=self.errors)
        line = self.process.stdout.readline().decode()
        self.url = line.split()[2]
        self.port = urllib.parse.urlsplit(self.url).port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        self.errors.close()

    def is_alive(self, patience=5):
        """Whether it still answers within this many seconds."""
        if self.process.poll() is not None:
            return False
        try:
            with socket.create_connection(("127.0.0.1", self.port), patience) as connection:
                connection.settimeout(patience)
                connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                return connection.recv(12) == b"HTTP/1.1 200"
        except OSError:
            return False


def wait_until(condition, seconds=60):
    """Waits for a state. False where it did not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


class Count:
    """What an attack prints: how many of how many held, and what did not."""

    def __init__(self, name, promise, total):
        self.name, self.promise, self.total = name, promise, total
        self.broken = {}
        self.remarks = []

    def fail(self, which, why):
        self.broken.setdefault(which, why)

    @property
    def held(self):
        return max(0, self.total - len(self.broken))

    def show(self):
        rest = f" ({'; '.join(self.remarks)})" if self.remarks else ""
        print(f"{self.name}: {self.held} of {self.total}: {self.promise}{rest}", flush=True)
        for which, why in list(self.broken.items())[:20]:
            print(f"  {which}: {why}", flush=True)
        return self.held == self.total


def ends(history, *outcomes):
    """By name: how often an attempt ended in one of these ways."""
    return collections.Counter(entry["name"] for entry in history if entry.get("outcome") in outcomes)


def source(seed, name):
    """Random numbers that are the same in each run."""
    return random.Random(f"{seed} {name}")
