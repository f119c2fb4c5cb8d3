"""One file at one moment: each change of a file, by each way in which it is sent, in each place where it lies.

The change is made while a server has received what it has not read yet, between two pieces, or before an upload goes on.
"""

import base64
import collections
import contextlib
import ctypes
import json
import mmap
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from common import Count, Place, file_content, file_name, source, write
from resuming import reset

PAGE = 4096
CHANGES = ["rewrite", "rename", "unlink", "replace", "punch", "truncate", "new mapping", "old mapping", "chmod"]
# After these alone the file is still what it was.
HARMLESS = {"rename", "chmod"}
WAYS = ["plain large", "plain small", "TLS", "tus in pieces", "tus cut", "http cut"]
LARGE, SMALL, PIECE = 5 << 20, 40_000, 1 << 20


class Victim:
    """A file, and what will be done to it."""

    def __init__(self, path, change, content):
        self.path, self.change, self.old = path, change, content
        self.new = content.translate(bytes(255 - value for value in range(256)))
        self.map = None
        self.lock, self.is_changed, self.cuts = threading.Lock(), False, 0
        write(path, content)
        if change == "old mapping":
            # Its pages have been written to before, so that writing to them again changes no time.
            self.open_map()
            self.map[:] = content

    def open_map(self):
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def make(self):
        with self.lock:
            if self.is_changed:
                return
            self.is_changed = True
            getattr(self, self.change.replace(" ", "_"))()

    def rewrite(self):
        status = os.stat(self.path)
        with open(self.path, "r+b", buffering=0) as file:
            file.write(self.new)
        os.utime(self.path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def rename(self):
        os.rename(self.path, self.path + ".away")

    def unlink(self):
        os.unlink(self.path)

    def replace(self):
        write(self.path + ".new", self.new)
        os.rename(self.path + ".new", self.path)

    def punch(self):
        keep_size, punch_hole = 1, 2
        libc = ctypes.CDLL(None, use_errno=True)
        self.new = bytes(len(self.old))
        with open(self.path, "r+b") as file:
            if libc.fallocate(file.fileno(), keep_size | punch_hole, ctypes.c_long(0), ctypes.c_long(len(self.old))):
                raise OSError(ctypes.get_errno(), "no hole was punched")

    def truncate(self):
        self.new = self.old[:len(self.old) // 3]
        os.truncate(self.path, len(self.new))

    def new_mapping(self):
        self.open_map()
        self.map[:] = self.new

    def old_mapping(self):
        self.map[:] = self.new

    def chmod(self):
        os.chmod(self.path, 0o400)

    def held(self, content):
        """Whether the file held this at one moment."""
        if content in (self.old, self.new):
            return True
        if len(content) != len(self.old) or len(self.new) != len(self.old):
            return False
        # Written over from its beginning, page by page.
        done = next((at for at in range(0, len(content), PAGE)
                     if content[at:at + PAGE] != self.new[at:at + PAGE]), len(content))
        return content[done + PAGE:] == self.old[done + PAGE:]

    def end(self):
        if self.map is not None:
            self.map.close()


class LateServer:
    """Takes forms and uploads that go on, and has a file changed before it has read all that it received."""

    def __init__(self, victims, cuts=False, tls=None):
        self.victims, self.cuts, self.tls = victims, cuts, tls
        self.contents = collections.defaultdict(list)
        self.uploads = {}
        self.lock = threading.Lock()
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(512)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError, ValueError):
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb", buffering=0) as raw:
                while head := self.read_head(raw):
                    self.answer(connection, raw, *head)

    @staticmethod
    def read_head(raw):
        # Byte by byte, so that nothing of the body is read with it.
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = raw.read(1)
            if not byte:
                return None
            head += byte
        lines = head.decode("latin-1").split("\r\n")
        fields = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines[1:] if line)}
        method, path, _ = lines[0].split(" ")
        return method, path, fields

    def answer(self, connection, raw, method, path, fields):
        def reply(status, *more):
            lines = [f"HTTP/1.1 {status}", "Content-Length: 0", "Tus-Resumable: 1.0.0", *more]
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

        length = int(fields.get("content-length", 0))
        if fields.get("expect", "").lower() == "100-continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if path == "/upload" and "upload-draft-interop-version" in fields:
            return self.begin(connection, raw, length, fields["content-type"])
        if path == "/upload":
            body, name = b"", None
            while len(body) < length:
                body += self.read(raw, min(8192, length - len(body)))
                if name is None and b"\r\n\r\n" in body:
                    name = file_name(body.partition(b"\r\n\r\n")[0])
                    victim = self.victims[name]
                    # Until then nothing more is read: all that fits has come, and as late as that it is changed.
                    if victim.is_early:
                        self.wait_for_more(connection, length - len(body))
                        victim.make()
                # All of it is handed over long before the last quarter is read.
                if name and not victim.is_early and len(body) > length - 100_000:
                    self.wait_for_more(connection, length - len(body))
                    victim.make()
            with self.lock:
                self.contents[name].append(file_content(body, fields["content-type"].encode()))
            return reply("200 OK")
        if method == "OPTIONS":
            return reply("204 No Content", "Tus-Version: 1.0.0", "Tus-Extension: creation,termination")
        if method == "POST":
            words = dict(pair.split(" ") for pair in fields["upload-metadata"].split(",") if " " in pair)
            with self.lock:
                number = len(self.uploads)
                name = os.path.basename(base64.b64decode(words["filename"]).decode())
                self.uploads[f"/files/{number}"] = (name, int(fields["upload-length"]), bytearray(), None)
            return reply("201 Created", f"Location: /files/{number}")
        if path not in self.uploads:
            return reply("404 Not Found")
        name, total, content, form = self.uploads[path]
        victim = self.victims[name]
        if method == "HEAD":
            if victim.cuts:
                victim.make()
            return reply("200 OK", f"Upload-Offset: {len(content)}", f"Upload-Length: {total}", "Upload-Complete: ?0",
                         "Cache-Control: no-store")
        if method == "DELETE":
            return reply("204 No Content")
        left = length
        while left:
            data = self.read(raw, min(65536, left))
            content += data
            left -= len(data)
            if self.cuts and not victim.cuts and len(content) > total // 2:
                self.cut(connection, victim)
        if not self.cuts and len(content) >= 2 * PIECE:
            victim.make()
        if len(content) == total:
            with self.lock:
                self.contents[name].append(file_content(bytes(content), form) if form else bytes(content))
        reply("204 No Content", f"Upload-Offset: {len(content)}", "Upload-Complete: ?1")

    @staticmethod
    def cut(connection, victim):
        """Ends the connection. The file changes at once, or when hoist asks where it may go on."""
        victim.cuts += 1
        if victim.is_early:
            victim.make()
        reset(connection)
        raise ConnectionResetError

    def begin(self, connection, raw, length, form):
        """The usual request, which can go on (draft-ietf-httpbis-resumable-upload). The first time it is cut in the middle."""
        with self.lock:
            path = f"/files/{len(self.uploads)}"
            self.uploads[path] = (None, length, bytearray(), form.encode())
        content = self.uploads[path][2]
        connection.sendall(f"HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n"
                           f"Location: {path}\r\n\r\n".encode())
        while len(content) <= length // 2:
            content += self.read(raw, min(65536, length - len(content)))
        name = file_name(bytes(content).partition(b"\r\n\r\n")[0])
        with self.lock:
            self.uploads[path] = (name, length, content, form.encode())
        if self.victims[name].cuts:
            # The upload was begun anew: this time all of it is taken.
            while len(content) < length:
                content += self.read(raw, min(65536, length - len(content)))
            with self.lock:
                self.contents[name].append(file_content(bytes(content), form.encode()))
            return connection.sendall(b"HTTP/1.1 201 Created\r\nUpload-Complete: ?1\r\nContent-Length: 0\r\n\r\n")
        self.cut(connection, self.victims[name])

    def wait_for_more(self, connection, most):
        """Waits until nothing more comes of itself, or so much has come."""
        if self.tls:
            # What lies there cannot be looked at beneath TLS. The change comes early or late, and holds in both.
            return time.sleep(0.05)
        before, still = -1, 0
        while still < 5 and before < most:
            time.sleep(0.004)
            now = len(connection.recv(most, socket.MSG_PEEK)) if most else 0
            before, still = now, still + 1 if now == before else 0

    @staticmethod
    def read(raw, count):
        data = raw.read(count)
        if not data:
            raise OSError("the client has gone")
        return data


def make_certificate(place):
    certificate, key = place.file("certificate.pem"), place.file("key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context


def configure(place, way, port, certificate):
    scheme = "https" if way == "TLS" else "http"
    path = "/files" if way.startswith("tus") else "/upload"
    lines = ["[targets.way]", f'url = "{scheme}://127.0.0.1:{port}{path}"',
             'retry = { attempts = 3, base = "0.01s", max = "0.1s" }']
    if way == "TLS":
        lines.append(f'tls = {{ ca_file = "{certificate}" }}')
    if way.startswith("tus"):
        lines.append('resume = "tus"')
    if way == "http cut":
        lines.append('resume = "http"')
    if way == "tus in pieces":
        lines.append('chunk = "1 MiB"')
    write(os.path.join(place.folder("config", "hoist"), "config.toml"), "\n".join(lines).encode() + b"\n")


def attack(hoist, seed, way, where, each):
    draw = source(seed, f"{way} {where}")
    count = Count(f"moments, {way}, {where}", "no torn file was called sent, and no whole one failed", each * len(CHANGES))
    torn, ends = collections.Counter(), collections.defaultdict(collections.Counter)
    with Place(hoist, "moments") as place:
        memory = tempfile.mkdtemp(prefix="hoist-test-attack-", dir="/dev/shm") if where == "memory" else None
        folder = memory or place.folder("files")
        certificate, context = make_certificate(place) if way == "TLS" else (None, None)
        victims = {}
        for number in range(each):
            for change in CHANGES:
                name = f"{change.replace(' ', '-')}-{number}.bin"
                content = draw.randbytes(SMALL if way == "plain small" else LARGE)
                victims[name] = Victim(os.path.join(folder, name), change, content)
                victims[name].is_early = number % 2 == 1
        # What was just written is read twice; what is older may be believed.
        time.sleep(2.2)
        server = LateServer(victims, cuts=way.endswith(" cut"), tls=context)
        try:
            configure(place, way, server.port, certificate)
            _, output, errors = place.run(
                "push", "--json", "--concurrency", "3", "--to", "way", *(victim.path for victim in victims.values()))
        finally:
            server.close()
            for victim in victims.values():
                victim.end()
            if memory:
                shutil.rmtree(memory, ignore_errors=True)
        found = {}
        for line in output.splitlines():
            event = json.loads(line)
            if event["event"] in ("finished", "failed"):
                found[os.path.basename(event["path"])] = event.get("cause", "sent")
        for name, victim in victims.items():
            end = found.get(name)
            ends[victim.change][end] += 1
            if end is None:
                count.fail(name, f"neither sent nor failed: {errors[-300:]}")
            elif not victim.is_changed:
                count.fail(name, f"was not changed, and ended as {end}")
            elif end == "sent":
                contents = server.contents[name]
                if not contents or not victim.held(contents[-1]):
                    torn[victim.change] += 1
                    count.fail(name, "torn and called sent" if contents else "called sent and did not arrive")
            elif victim.change in HARMLESS:
                count.fail(name, f"{victim.change} alone, and it ended as {end}")
    count.remarks = [
        f"{change}: " + ", ".join(f"{number} {end}" for end, number in found.items()) for change, found in ends.items()]
    return count


def run(hoist, seed, quick):
    for way in WAYS:
        for where in ("disk", "memory"):
            yield attack(hoist, seed, way, where, 2 if quick else 10)
