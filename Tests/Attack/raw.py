"""Raw requests at `hoist receive`. It is alive after each, and nothing is outside of its folder."""

import contextlib
import os
import socket
import struct

from common import Count, Place, Receiver, write

# In every name that must not get out, so that it is found wherever it comes to be.
MARK = f"attack-escape-{os.getpid()}"
SECRET = b"what only the machine's owner may read"
SMUGGLED = "smuggled-request.txt"


def request(line, fields=(), body=b"", length=True):
    """A request; `fields` are lines as they go."""
    lines = [line, "Host: 127.0.0.1", *fields]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def part(disposition, content=b"content", fields=b""):
    disposition = disposition.encode("utf-8", "surrogateescape") if isinstance(disposition, str) else disposition
    return b"--b\r\nContent-Disposition: form-data; " + disposition + b"\r\n" + fields + b"\r\n" + content + b"\r\n"


FORM = "Content-Type: multipart/form-data; boundary=b"


def form(*parts, path="/upload", fields=(), end=b"--b--\r\n"):
    return request(f"POST {path} HTTP/1.1", [FORM, *fields], b"".join(parts) + end)


def named(name, **rest):
    return form(part(f'name="file"; filename="{name}"'), **rest)


def json(path, body, *fields):
    return request(f"POST {path} HTTP/1.1", ["Content-Type: application/json", *fields], body)


def smuggling():
    hidden = form(part(f'name="file"; filename="{SMUGGLED}"'))
    chunked = b"0\r\n\r\n" + hidden
    start = "POST /bookmarks HTTP/1.1"
    heads = {
        "both framings": [f"Content-Length: {len(chunked)}", "Transfer-Encoding: chunked"],
        "both framings, other order": ["Transfer-Encoding: chunked", "Content-Length: 5"],
        "two lengths": ["Content-Length: 5", f"Content-Length: {len(chunked)}"],
        "two lengths in a line": [f"Content-Length: 5, {len(chunked)}"],
        "blank before the colon": ["Content-Length : 5", f"Content-Length: {len(chunked)}"],
        "an unknown coding": ["Transfer-Encoding: xchunked"],
        "chunked not last": ["Transfer-Encoding: chunked, identity"],
        "chunked twice": ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked"],
        "a folded line": ["Transfer-Encoding:", " chunked", "Content-Length: 5"],
        "a vertical tab": ["Transfer-Encoding:\x0bchunked", "Content-Length: 5"],
        "a blank before the coding's colon": ["Transfer-Encoding : chunked", "Content-Length: 5"],
        "a bare carriage return": ["X: y\rTransfer-Encoding: chunked", "Content-Length: 5"],
        "chunked in HTTP/1.0": ["Transfer-Encoding: chunked", "Content-Length: 5"],
    }
    for name, fields in heads.items():
        line = start.replace("1.1", "1.0") if "1.0" in name else start
        yield f"smuggling: {name}", request(line, fields, chunked, length=False)
    for name, size in {"negative": b"-1", "hexadecimal with 0x": b"0x0", "beyond 64 bits": b"f" * 17,
                       "nothing": b"", "a sign": b"+0", "a blank": b" 0"}.items():
        body = size + b"\r\n\r\n" + hidden
        yield f"smuggling: a chunk's size is {name}", request(start, ["Transfer-Encoding: chunked"], body, length=False)
    yield "smuggling: as the body of a form", request(start, ["Content-Type: text/plain"], hidden)


def traversal(place):
    outside = place.file("outside")
    names = ["../" + MARK, "../../../../../../" + MARK, "/" + MARK, f"{outside}/{MARK}", f"link/{MARK}", "link",
             "linked-file", f"..\\\\{MARK}", f"./../{MARK}", f"a/../../{MARK}", f".{MARK}", f"%2e%2e%2f{MARK}",
             f"C:\\\\{MARK}", f"sub/{MARK}", ".", "..", "", " ", f"{MARK}\x00/../x", f"{MARK}\x1b]0;x\x07",
             f"{MARK}.", "con", "x" * 5000, "\u0301" * 3000, "\udcff\udcfe" + MARK]
    for name in names:
        yield f"traversal: {name[:30]!a}", named(name)
    for mark in "\u0301", "\u200d", "\ufe0f":
        for name in f"/{mark}{MARK}", f"..{mark}/{mark}{MARK}", f".{mark}{MARK}", f"link/{mark}{MARK}", \
                f"{outside}/{mark}{MARK}".replace("/", "/" + mark), f'a"{mark}; filename="../{MARK}':
            yield f"traversal with U+{ord(mark):04X}: {name[:30]!a}", named(name)
    yield "traversal: an extended name", form(part(f"name=\"file\"; filename*=UTF-8''..%2F..%2F{MARK}"))
    yield "traversal: two names", form(part(f'name="file"; filename="a"; filename="../{MARK}"'))
    # Three levels up from the inbox.
    for path in ("/files/../../../outside/secret", "/files/%2e%2e/%2e%2e/%2e%2e/outside/secret",
                 "/files/..%2f..%2f..%2foutside%2fsecret", "/files/..%5c..%5c..%5coutside%5csecret",
                 "/files/\u0301../\u0301../\u0301../outside/secret", f"/files/{outside}/secret",
                 "/files/link/secret", "/files/link%2fsecret", "/files/linked-file", "/files/%00"):
        yield f"traversal: GET {path[:40]!a}", request(f"GET {path} HTTP/1.1", length=False)


def lengths():
    for length in ("-1", "+5", "0x10", "1e3", "", "5 5", "9" * 30, str(1 << 63), str((1 << 64) + 5), "5;5", "\u0665"):
        yield f"length: {length!a}", request(
            "POST /upload HTTP/1.1", [FORM, f"Content-Length: {length}"], b"--b--\r\n", length=False)
    yield "length: none", request("POST /upload HTTP/1.1", [FORM], b"--b--\r\n", length=False)
    yield "length: more than comes", request(
        "POST /upload HTTP/1.1", [FORM, "Content-Length: 1000"], part(f'name="f"; filename="{MARK}"'), length=False)
    yield "length: huge", request(
        "POST /upload HTTP/1.1", [FORM, "Content-Length: 9223372036854775807"], b"--b\r\n", length=False)
    yield "length: waits for leave", request(
        "POST /upload HTTP/1.1", [FORM, "Content-Length: 10", "Expect: 100-continue"], length=False)


def endless():
    yield "endless: a request line", b"GET /" + b"a" * (4 << 20)
    yield "endless: a field", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * (4 << 20)
    yield "endless: fields", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 700_000
    yield "endless: empty lines", b"\r\n" * 1_000_000
    yield "endless: a chunk's extension", request(
        "POST /upload HTTP/1.1", [FORM, "Transfer-Encoding: chunked"], b"1;" + b"a" * (4 << 20), length=False)
    yield "endless: trailers", request(
        "POST /upload HTTP/1.1", [FORM, "Transfer-Encoding: chunked"], b"0\r\n" + b"X: y\r\n" * 700_000, length=False)
    yield "endless: a part's head", form(b"--b\r\nX: " + b"a" * (4 << 20))
    yield "endless: a part's fields", form(b"--b\r\n" + b"X: y\r\n" * 700_000)
    yield "endless: a preamble", form(b"a" * (4 << 20))
    yield "endless: fields of a form", form(*[part(f'name="{"n" * 16_000}{n}"', b"") for n in range(998)])
    yield "endless: parts", form(*[part(f'name="{n}"', b"") for n in range(50_000)])
    yield "endless: boundary", request(
        "POST /upload HTTP/1.1", ["Content-Type: multipart/form-data; boundary=" + "b" * 60_000], b"--b--\r\n")
    yield "endless: almost boundaries", form(b"\r\n--" * (1 << 20))
    yield "endless: requests", request("GET / HTTP/1.1", length=False) * 2_000


def deep():
    bodies = {
        "16 KB of [": b"[" * 16_384, "1 MB of [": b"[" * (1 << 20),
        "objects": b'{"a":' * 100_000, "balanced": b"[" * 8_000 + b"]" * 8_000,
        "deep and wide": b"[" * 60 + b"[]," * 50_000 + b"[]" + b"]" * 60,
        "wide": b"[" + b"0," * 500_000 + b"0]", "a key a thousand times": b"{" + b'"k":1,' * 100_000 + b'"k":1}',
        "escapes": b'"' + b"\\u0041" * 150_000 + b'"', "half a surrogate": b'{"name":"\\ud800"}',
        "a number": b"9" * 900_000, "an exponent": b"1e" + b"9" * 1_000, "no UTF-8": b'{"name":"\xff\xfe"}',
    }
    for name, body in bodies.items():
        yield f"JSON: {name}, /bookmarks", json("/bookmarks", body)
    for name in "16 KB of [", "deep and wide", "objects":
        yield f"JSON: {name}, /presign", json("/presign", bodies[name])
        yield f"JSON: {name}, /notes", form(
            part('name="request"', bodies[name], b"Content-Type: application/json\r\n"), path="/notes",
            fields=["Authorization: Bearer x"])


def others():
    yield "other site", named(MARK + "-site", fields=["Origin: http://evil.example"])
    yield "other host", named(MARK + "-host").replace(b"Host: 127.0.0.1", b"Host: evil.example")
    yield "two hosts", named(MARK + "-hosts", fields=["Host: evil.example"])
    yield "no host", b"GET / HTTP/1.1\r\n\r\n"
    yield "CONNECT", b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n"
    yield "HTTP/0.9", b"GET /\r\n"
    yield "HTTP/9.9", b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n"
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    yield "upgrade", request("GET / HTTP/1.1", ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"], length=False)
    yield "zeros", bytes(100_000)
    yield "noise", bytes(range(256)) * 400
    yield "nothing", b""
    yield "ranges", request(
        "GET /files/linked-file HTTP/1.1", ["Range: bytes=" + ",".join(f"{n}-" for n in range(5_000))], length=False)
    yield "no end of the form", form(part(f'name="file"; filename="{MARK}-open"'), end=b"")
    yield "a line break in a name", named(f"{MARK}\r\nX-Evil: yes")
    yield "eleven files", form(*[part(f'name="f"; filename="eleven-{n}"') for n in range(11)], path="/multiupload")


def send(port, data):
    """Sends it, and returns what comes back within a moment."""
    reply = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.settimeout(5)
        with contextlib.suppress(OSError):
            connection.sendall(data)
        connection.settimeout(0.3)
        with contextlib.suppress(OSError):
            while len(reply) < 1 << 20 and (got := connection.recv(65536)):
                reply += got
        # Gone without a word: a reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return reply


def outside(place, inbox):
    """Everything in the place that is not in the folder, and what of ours is elsewhere."""
    found = {}
    for folder, folders, files in os.walk(place.path):
        if folder == inbox:
            folders.clear()
            continue
        for name in files + folders:
            path = os.path.join(folder, name)
            if name != "receiver-errors":
                found[path] = os.lstat(path).st_size if name in files else None
    for folder in "/", "/tmp", os.getcwd():
        found.update((os.path.join(folder, name), None) for name in os.listdir(folder) if MARK in name)
    return found


def run(hoist, seed, quick):
    with Place(hoist, "raw") as place:
        inbox = place.folder("a", "b", "inbox")
        write(os.path.join(place.folder("outside"), "secret"), SECRET)
        os.symlink(place.file("outside"), os.path.join(inbox, "link"))
        os.symlink(place.file("outside", "secret"), os.path.join(inbox, "linked-file"))
        everything = [*smuggling(), *traversal(place), *lengths(), *endless(), *deep(), *others()]
        if quick:
            everything = everything[seed % 10::10]
        count = Count("raw requests", "the receiver answers afterwards, and nothing is outside of its folder",
                      len(everything))
        with Receiver(place, os.path.join("a", "b", "inbox"), "--demo-endpoints") as receiver:
            before = outside(place, inbox)
            for name, data in everything:
                reply = send(receiver.port, data)
                if not receiver.is_alive():
                    count.fail(name, "the receiver does not answer any more")
                    break
                now = outside(place, inbox)
                if now != before:
                    count.fail(name, f"outside: {sorted(set(now.items()) ^ set(before.items()), key=str)}")
                    before = now
                names = os.listdir(inbox)
                for bad in (each for each in names if each == SMUGGLED or MARK in each and (
                        each.startswith(".") or each.endswith(("-site", "-host", "-hosts", "-open")))):
                    count.fail(name, f"{bad!a} is in the folder")
                    os.unlink(os.path.join(inbox, bad))
                if SECRET in reply or b"\nX-Evil" in reply:
                    count.fail(name, "the reply shows what it must not")
            with open(f"/proc/{receiver.process.pid}/status") as status:
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
            count.remarks = [f"{len(os.listdir(inbox)) - 2} files in the folder", f"{peak // 1024} MB at the most"]
            if receiver.process.poll() is not None:
                count.fail("end", f"the receiver has ended with {receiver.process.returncode}")
    return [count]
