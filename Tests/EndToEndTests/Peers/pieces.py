#!/usr/bin/env python3
"""Strict copies of services which take a large file in several requests.

Start it with `python3 pieces.py`: it prints `port NNNN` (on 127.0.0.1) and ends
on SIGTERM.  Each service lies under its
own first path segment: nextcloud, zipline, cloudinary, azure, gcs, dropbox, s3,
presign, b2, lfs.  A token, preset or signature which begins with "bad" counts
as a wrong one; any other of the right form is taken, unless noted.

    GET  /state   objects, unfinished sessions, body bytes, the last 500 requests
    POST /reset   forget everything
    POST /fault   {"service": ..., "kind": ..., "times": k, "of": role, ...}

Kinds of faults (times is 1 unless given):
    cut         close the socket after "after" body bytes of a request with file
                content and a longer body ("how": "rst" or "fin")
    drop-reply  do all the work, then close without an answer
    status      answer "status" with "headers" and "body", do no work
    partial     (gcs) keep only "after" bytes of the next chunk, answer 308
    expire      forget all sessions of the service, at once
"of" names the requests meant: "begin", "piece" (the default: whatever carries
file content) or "finish".  A request may be more than one of these: a last
chunk which also ends the upload is a piece and a finish.
"""
import base64
import binascii
import calendar
import hashlib
import hmac
import json
import mmap
import os
import re
import secrets
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit
from xml.sax.saxutils import escape

MIB = 1024 * 1024
GIB = 1024 * MIB
BLOCK = 256 * 1024
SERVICES = {}  # name -> (function which answers, function which tells the roles)
BLOCKS = {}  # azure: blob -> {block id: spool}, the committed ones
UPLOADS = {}  # b2: upload token -> what it is good for
LFS_DONE = {}  # lfs: tokens of finished uploads, still good for verify


class Refuse(Exception):
    """An answer which ends the work on a request."""

    def __init__(self, answer):
        self.answer = answer


class Lost(Exception):
    """The connection went away (or was cut) in the middle of a body."""

    spool = None


class Spool:
    """A file on disk with bytes of a request, and their sums."""

    def __init__(self):
        self.path = os.path.join(STATE.root, secrets.token_hex(12))
        self.size = 0
        self.sums = {}
        self.kept = False

    def remove(self):
        if os.path.exists(self.path):
            os.unlink(self.path)


class State:
    def __init__(self):
        self.lock = threading.RLock()
        self.root = tempfile.mkdtemp(prefix="pieces-")
        self.reset()

    def reset(self):
        with self.lock:
            for name in os.listdir(self.root):
                os.unlink(os.path.join(self.root, name))
            self.objects = {}
            self.sessions = {name: {} for name in SERVICES}
            self.past = {}  # (service, id) -> "expired", "aborted" or the finished object
            self.aborted = 0
            self.busy = {name: 0 for name in SERVICES}
            self.most = {name: 0 for name in SERVICES}  # content requests at once
            self.wire = {name: 0 for name in SERVICES}
            self.requests = []
            self.faults = []
            for each in (BLOCKS, UPLOADS, LFS_DONE):
                each.clear()

    def open(self, service, sid=None, **fields):
        sid = sid or secrets.token_urlsafe(24)
        with self.lock:
            self.sessions[service][sid] = {"id": sid, "pieces": {}, **fields}
        return sid

    def close(self, service, sid, why):
        with self.lock:
            session = self.sessions[service].pop(sid, None)
            if session is None:
                return
            for spool in session["pieces"].values():
                spool.remove()
            self.past[service, sid] = why
            if why == "aborted":
                self.aborted += 1

    def store(self, service, key, spools, metadata):
        """Join the pieces to one object; the pieces themselves are left alone."""
        path = os.path.join(self.root, "object-" + secrets.token_hex(12))
        sha256, md5, size = hashlib.sha256(), hashlib.md5(), 0
        with open(path, "wb") as out:
            for spool in spools:
                with open(spool.path, "rb") as piece:
                    while block := piece.read(BLOCK):
                        out.write(block)
                        sha256.update(block)
                        md5.update(block)
                        size += len(block)
        thing = {"service": service, "key": key, "bytes": size, "sha256": sha256.hexdigest(),
                 "md5": md5.hexdigest(), "path": path, "metadata": metadata}
        with self.lock:
            old = self.objects.pop((service, key), None)
            self.objects[service, key] = thing
            if old:
                os.unlink(old["path"])
        return thing

    def fault(self, service, kind, fits=lambda fault: True):
        """Use up one fault of this kind, if one waits."""
        with self.lock:
            for fault in self.faults:
                if (fault["service"], fault["kind"]) == (service, kind) and fits(fault):
                    fault["times"] -= 1
                    if fault["times"] <= 0:
                        self.faults.remove(fault)
                    return fault
        return None

    def report(self):
        with self.lock:
            return {"objects": list(self.objects.values()),
                    "sessions": {name: len(all_) for name, all_ in self.sessions.items()},
                    "aborted": self.aborted, "wire": self.wire, "most": self.most, "faults": self.faults,
                    "requests": self.requests[-500:]}


def answer(status, body=b"", headers=None, kind=None):
    if isinstance(body, str):
        body = body.encode()
    headers = dict(headers or {})
    if kind:
        headers.setdefault("Content-Type", kind)
    return status, headers, body


def as_json(status, thing, headers=None, kind="application/json; charset=utf-8"):
    return answer(status, json.dumps(thing), headers, kind)


def iso(seconds=None, form="%Y-%m-%dT%H:%M:%SZ"):
    return time.strftime(form, time.gmtime(seconds))


def integer(text):
    return int(text) if text is not None and re.fullmatch(r"\d{1,18}", text) else None


def load_json(data):
    try:
        thing = json.loads(data or b"{}")
    except ValueError:
        return None
    return thing if isinstance(thing, dict) else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 300
    expect = False

    def handle_expect_100(self):
        self.expect = True  # "100 Continue" is sent when the body is wanted
        return True

    def log_message(self, *args):
        pass

    # The body, read once, block by block.

    def body(self):
        if self.expect:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.expect = False
        seen = 0
        while not self.body_over:
            if self.chunked and not self.left:
                try:
                    self.left = int(self.rfile.readline(100).split(b";")[0], 16)
                except ValueError:
                    raise Lost from None
                if not self.left:
                    while self.rfile.readline(1000).strip():
                        pass
                    break
            if self.cut and seen >= self.cut["after"]:
                raise Lost
            want = min(self.left, BLOCK)
            if self.cut:
                want = min(want, self.cut["after"] - seen)
            block = self.rfile.read(want)
            with STATE.lock:
                if self.service in STATE.wire:
                    STATE.wire[self.service] += len(block)
            self.left -= len(block)
            seen += len(block)
            if block:
                yield block
            if len(block) < want:
                raise Lost
            if self.chunked and not self.left:
                self.rfile.readline(100)
            elif not self.left:
                break
        self.body_over = True

    def receive(self, *names):
        """Write the body to disk, with the sums named."""
        spool = self.new_spool()
        with STATE.lock:
            STATE.busy[self.service] += 1
            STATE.most[self.service] = max(STATE.most[self.service], STATE.busy[self.service])
        sums = {name: hashlib.new(name) for name in names}
        try:
            with open(spool.path, "wb") as out:
                for block in self.body():
                    out.write(block)
                    spool.size += len(block)
                    for each in sums.values():
                        each.update(block)
        except Lost as lost:
            lost.spool = spool
            raise
        finally:
            with STATE.lock:
                STATE.busy[self.service] -= 1
        spool.sums = {name: each.hexdigest() for name, each in sums.items()}
        return spool

    def new_spool(self):
        spool = Spool()
        self.spools.append(spool)
        return spool

    def keep(self, session, number, spool):
        """Make a piece part of a session, in place of an earlier one."""
        with STATE.lock:
            old = session["pieces"].get(number)
            session["pieces"][number] = spool
            spool.kept = True
            if old:
                old.remove()

    def text(self):
        return b"".join(self.body())

    def form(self):
        """The fields and files of a multipart form, or None if it is not one."""
        match = re.match(r'multipart/form-data;.*boundary="?([^";]+)"?', self.header("Content-Type"), re.I)
        if not match:
            return None
        whole, mark = self.receive(), b"--" + match[1].encode()
        fields, files = {}, []
        if not whole.size:
            return fields, files
        with open(whole.path, "rb") as source, mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(mark)
            while at >= 0 and data[at + len(mark):at + len(mark) + 2] == b"\r\n":
                start = data.find(b"\r\n\r\n", at)
                end = data.find(b"\r\n" + mark, start)
                if start < 0 or end < 0:
                    return None
                head = data[at + len(mark):start].decode("utf-8", "replace")
                name = re.search(r'[; ]name="([^"]*)"', head)
                filename = re.search(r'filename="([^"]*)"', head)
                if filename:
                    spool = self.new_spool()
                    source.seek(start + 4)
                    spool.size = end - start - 4
                    with open(spool.path, "wb") as out:
                        for offset in range(0, spool.size, BLOCK):
                            out.write(source.read(min(BLOCK, spool.size - offset)))
                    files.append((name and name[1], filename[1], spool))
                elif name:
                    fields[name[1]] = data[start + 4:end].decode("utf-8", "replace")
                at = end + 2
        return fields, files

    # What the services share.

    def header(self, name, default=""):
        return self.headers.get(name, default)

    def link(self, path):
        return f"http://{self.header('Host')}{path}"

    def bearer(self):
        match = re.fullmatch(r"Bearer (\S+)", self.header("Authorization"))
        return match[1] if match and not match[1].startswith("bad") else None

    def session(self, sid):
        return STATE.sessions[self.service].get(sid)

    # One request.

    def run(self):
        url = urlsplit(self.path)
        self.route = url.path
        self.parts = [unquote(part) for part in url.path.split("/") if part]
        self.query = dict(parse_qsl(url.query, keep_blank_values=True))
        self.chunked = "chunked" in self.header("Transfer-Encoding").lower()
        self.left = 0 if self.chunked else integer(self.header("Content-Length", "0")) or 0
        self.body_over = not self.chunked and not self.left
        self.cut, self.spools = None, []
        self.service = self.parts[0] if self.parts else ""
        if self.service == "s3" and "X-Amz-Signature" in self.query:
            self.service = "presign"
        status, fault = 0, None
        try:
            if self.service not in SERVICES:
                self.send(*control(self))
                return
            work, tell = SERVICES[self.service]
            roles = tell(self)
            result = None
            fault = STATE.fault(self.service, "status", lambda f: f["of"] in roles)
            if fault:
                result = answer(fault["status"], fault["body"], fault["headers"])
            if "piece" in roles and not fault:
                self.cut = STATE.fault(self.service, "cut", lambda f: self.chunked or self.left > f["after"])
            try:
                result = result or work(self)
            except Refuse as refusal:
                result = refusal.answer
            if self.expect and not self.body_over:  # refused before "100 Continue"
                self.close_connection = True
            else:
                for _ in self.body():  # what the service did not care to read
                    pass
            if not fault and STATE.fault(self.service, "drop-reply", lambda f: f["of"] in roles):
                self.hang_up()
            else:
                status = result[0]
                self.send(*result)
        except Lost:
            self.hang_up(reset=not self.cut or self.cut.get("how") != "fin")
        except OSError:
            self.close_connection = True
        finally:
            for spool in self.spools:
                if not spool.kept:
                    spool.remove()
            self.expect = False
            if self.service in SERVICES:
                with STATE.lock:
                    STATE.requests.append([self.command, self.path, status])
                    del STATE.requests[:-500]

    def send(self, status, headers, body):
        reason = {308: "Resume Incomplete", 499: "Client Closed Request"}.get(status)
        self.send_response(status, reason)
        for name, value in headers.items():
            self.send_header(name, str(value))
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self._headers_buffer.append(b"\r\n")
        head, self._headers_buffer = b"".join(self._headers_buffer), []
        self.wfile.write(head + (b"" if self.command == "HEAD" or status == 204 else body))

    def hang_up(self, reset=False):
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            try:
                self.connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        self.rfile.close()
        self.connection.close()

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_MKCOL = do_MOVE = do_PROPFIND = run


def control(h):
    data = h.text()
    if h.route == "/state" and h.command == "GET":
        return as_json(200, STATE.report())
    if h.route == "/reset" and h.command == "POST":
        STATE.reset()
        return as_json(200, {})
    if h.route == "/fault" and h.command == "POST":
        wish = load_json(data)
        kinds = ("cut", "drop-reply", "expire", "status", "partial")
        if not wish or wish.get("service") not in SERVICES or wish.get("kind") not in kinds:
            return as_json(400, {"error": "service or kind unknown"})
        fault = {"times": 1, "after": 0, "of": "piece", "status": 503, "headers": {}, "body": "", **wish}
        if fault["kind"] == "expire":
            for sid in list(STATE.sessions[fault["service"]]):
                STATE.close(fault["service"], sid, "expired")
        else:
            with STATE.lock:
                STATE.faults.append(fault)
        return as_json(200, {})
    return as_json(404, {"error": "no such service"})


# Nextcloud, chunked upload version 2.
# From the developer manual, "Chunked file upload" (client_apis/WebDAV/chunking),
# and from nextcloud/server apps/dav/lib/Upload: ChunkingV2Plugin, ChunkingPlugin
# (the total), AssemblyStream (the order in version 1); apps/dav/lib/Connector/Sabre
# FilesPlugin and CopyEtagHeaderPlugin (reply headers); and the sabre/dav CorePlugin.
# The server passes the pieces on to an object store, which refuses small ones only
# when they are joined: hence the 500 at the MOVE.

DAV = "/nextcloud/remote.php/dav/"


def dav_error(status, exception, message, headers=None):
    return Refuse(answer(status, '<?xml version="1.0" encoding="utf-8"?>\n'
                         '<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">\n'
                         f"  <s:exception>Sabre\\DAV\\Exception\\{exception}</s:exception>\n"
                         f"  <s:message>{escape(message)}</s:message>\n</d:error>\n",
                         headers, "application/xml; charset=utf-8"))


def nextcloud_roles(h):
    uploads = h.route.startswith(DAV + "uploads/")
    return {"MKCOL": {"begin"} if uploads else set(), "MOVE": {"finish"},
            "PUT": {"piece"} if uploads else {"piece", "finish"}}.get(h.command, set())


def nextcloud_target(h):
    """The key named by the Destination header, checked as sabre/dav does."""
    if not h.header("Destination"):
        raise dav_error(400, "BadRequest", "The destination header was not supplied")
    path = unquote(urlsplit(h.header("Destination")).path)
    if not path.startswith(DAV):
        raise dav_error(403, "Forbidden", f"Requested uri ({path}) is out of base uri ({DAV})")
    return path[len(DAV):].strip("/")


def nextcloud_write(h, key, spools):
    metadata, headers = {"type": h.header("Content-Type")}, {}
    if h.headers.get("X-OC-MTime") is not None:
        if not re.fullmatch(r"\s*[+-]?\d+(\.\d*)?\s*", h.header("X-OC-MTime")):
            raise dav_error(500, "", "X-OC-MTime header must be an integer (unix timestamp).")
        metadata["mtime"] = int(float(h.header("X-OC-MTime")))
        headers["X-OC-MTime"] = "accepted"
    exists = ("nextcloud", key) in STATE.objects
    thing = STATE.store("nextcloud", key, spools, metadata)
    headers["OC-FileId"] = f"{int(thing['sha256'][:6], 16):08d}oc1a2b3c4d5e"
    headers["ETag"] = headers["OC-ETag"] = f'"{thing["md5"]}"'
    return 204 if exists else 201, headers


def nextcloud(h):
    if h.header("Authorization") != "Basic " + base64.b64encode(b"me:secret").decode():
        raise dav_error(401, "NotAuthenticated", "No 'Authorization: Basic' header found. Either the client "
                        "didn't send one, or the server is misconfigured",
                        {"WWW-Authenticate": 'Basic realm="Nextcloud", charset="UTF-8"'})
    key = "/".join(h.parts[3:])
    where, name = h.parts[3:5], h.parts[5:]
    if not unquote(h.route).startswith(DAV) or where not in (["uploads", "me"], ["files", "me"]) or not name:
        raise dav_error(404, "NotFound", f"File not found: {key}")
    folders = {"files/me"} | {k for s, k in STATE.past if s == "nextcloud" and k.startswith("files/")}
    if where[0] == "files":
        if h.command == "MKCOL":
            if key in folders or ("nextcloud", key) in STATE.objects:
                raise dav_error(405, "MethodNotAllowed", "The resource you tried to create already exists")
            if os.path.dirname(key) not in folders:
                raise dav_error(409, "Conflict", "Parent node does not exist")
            STATE.past["nextcloud", key] = "folder"
            return answer(201)
        if h.command == "PUT":
            if os.path.dirname(key) not in folders:
                raise dav_error(409, "Conflict", "Files cannot be created in non-existent collections")
            status, headers = nextcloud_write(h, key, [h.receive()])
            # apps/dav/lib/Connector/Sabre/File.php computes it for this one request only.
            if h.header("X-Hash") == "sha256":
                headers["X-Hash-SHA256"] = STATE.objects["nextcloud", key]["sha256"]
            return answer(status, headers=headers)
        if h.command == "DELETE" and ("nextcloud", key) in STATE.objects:
            os.unlink(STATE.objects.pop(("nextcloud", key))["path"])
            return answer(204)
        raise dav_error(404, "NotFound", f"File with name //{key} could not be located")
    sid, session = name[0], h.session(name[0])
    if h.command == "MKCOL" and len(name) == 1:
        if session:
            raise dav_error(405, "MethodNotAllowed", "The resource you tried to create already exists")
        # Without a Destination the folder is one of version 1.
        # Nothing looks for the folder of the file yet: what comes goes to a file beside the pieces at first.
        target = nextcloud_target(h) if h.header("Destination") else None
        STATE.open("nextcloud", sid, target=target, broken=False)
        return answer(201)
    if h.command == "PUT" and len(name) == 2:
        if not session:
            raise dav_error(409, "Conflict", "Files cannot be created in non-existent collections")
        number = name[1]
        if session["target"]:
            # The server itself would fall back to version 1 here and lose the
            # piece; the manual demands the header on every request.
            if not h.header("Destination"):
                raise dav_error(400, "BadRequest", "The destination header was not supplied")
            if not re.fullmatch(r"\d+", number) or not 1 <= int(number) <= 10000:
                raise dav_error(400, "BadRequest", "Invalid chunk name, must be numeric between 1 and 10000")
            number = int(number)
            # It asks the folder of the file for its free space.
            if os.path.dirname(session["target"]) not in folders:
                raise dav_error(404, "NotFound", f"File with name //{os.path.dirname(session['target'])} could not be "
                                "located")
        spool = h.receive("md5")
        if session["target"] and spool.size > 5 * GIB:
            raise dav_error(500, "", "Could not write chunked file")
        h.keep(session, number, spool)
        return answer(201)
    if not session:
        raise dav_error(404, "NotFound", f"File with name //{key} could not be located")
    if h.command == "DELETE" and len(name) == 1:
        STATE.close("nextcloud", sid, "aborted")
        return answer(204)
    if h.command == "PROPFIND" and len(name) == 1:
        entries = [(h.route.rstrip("/") + "/", "<d:resourcetype><d:collection/></d:resourcetype>")] + [
            (f"{h.route.rstrip('/')}/{quote(str(n))}", f"<d:resourcetype/><d:getcontentlength>{s.size}</d:getcontentlength>")
            for n, s in session["pieces"].items() if h.header("Depth") != "0"]
        return answer(207, '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:">' + "".join(
            f"<d:response><d:href>{escape(href)}</d:href><d:propstat><d:prop>{about}</d:prop>"
            "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>" for href, about in entries) +
            "</d:multistatus>", kind="application/xml; charset=utf-8")
    if h.command == "MOVE" and name[1:] == [".file"]:
        target = nextcloud_target(h)
        if os.path.dirname(target) not in folders:
            raise dav_error(409, "Conflict", "The destination node is not found")
        if h.header("Overwrite") == "F" and ("nextcloud", target) in STATE.objects:
            raise dav_error(412, "PreconditionFailed", "The destination node already exists, and the overwrite "
                            "header is set to false")
        natural = lambda n: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", str(n)) if x]
        spools = [session["pieces"][n] for n in sorted(session["pieces"], key=natural)]
        size, total = sum(s.size for s in spools), h.headers.get("OC-Total-Length")
        if total is not None and total != str(size):
            raise dav_error(400, "BadRequest", f"Chunks on server do not sum up to {total} but to {size} bytes")
        small = any(s.size < 5 * MIB for s in spools[:-1])
        if session["target"] and (small or not spools or session["broken"]):
            session["broken"] = True  # the parts are thrown away by the object store
            raise dav_error(500, "", "Could not write chunked file")
        status, headers = nextcloud_write(h, target, spools)
        STATE.close("nextcloud", sid, "done")
        return answer(status, headers=headers)
    raise dav_error(405, "MethodNotAllowed", "Reading intermediate uploads is not allowed")


SERVICES["nextcloud"] = nextcloud, nextcloud_roles


# Zipline 4, partial uploads.
# From diced/zipline: src/server/routes/api/upload/partial.ts,
# src/server/middleware/user.ts, src/lib/uploader/parseHeaders.ts, src/lib/api/errors.ts,
# src/offload/partial.ts.
# The end of a range is exclusive; a first chunk always begins a new upload; the
# lengths are added up, so that a later chunk sent twice spoils the upload.

ZIPLINE_ERRORS = {1002: "Invalid partial upload", 1003: "Partial upload identifier is invalid",
                  1004: "Partial upload was not detected", 1005: "Partial uploads only support one file field",
                  2000: "Invalid login session", 2001: "Invalid token", 5001: "File is too large",
                  9004: "Internal server error"}
ZIPLINE_MAX = 100 * GIB


def zipline_error(code):
    status = 500 if code == 9004 else {1: 400, 2: 401, 5: 413}[code // 1000]
    return Refuse(as_json(status, {"error": f"E{code}: {ZIPLINE_ERRORS[code]}", "code": code, "statusCode": status}))


def zipline_range(h):
    try:
        text = h.header("Content-Range").replace("bytes ", "", 1).replace("-", "/", 1)
        start, end, total = [int(x) for x in text.split("/")[:3]]
        return start, end, total
    except ValueError:
        return None


def zipline_roles(h):
    span = zipline_range(h)
    return {"piece"} | ({"begin"} if span and span[0] == 0 else set()) | (
        {"finish"} if h.header("X-Zipline-P-Lastchunk") == "true" or not span else set())


def zipline(h):
    if h.route not in ("/zipline/api/upload/partial", "/zipline/api/upload") or h.command != "POST":
        return as_json(404, {"error": "Not Found", "statusCode": 404})
    if not h.header("Authorization"):
        raise zipline_error(2000)
    if h.header("Authorization").startswith("bad"):
        raise zipline_error(2001)
    whole = h.route == "/zipline/api/upload"
    span = zipline_range(h)
    if not whole and not span:
        raise zipline_error(1004)
    form = h.form()
    if form is None:
        return as_json(406, {"statusCode": 406, "code": "FST_INVALID_MULTIPART_CONTENT_TYPE",
                             "error": "Not Acceptable", "message": "the request is not multipart"})
    files = form[1]
    if whole:
        done = [zipline_file(h, filename, [spool], False) for _, filename, spool in files]
        return as_json(200, {"files": done})
    if len(files) > 1:
        raise zipline_error(1005)
    if not files:
        raise zipline_error(9004)
    spool, sid = files[0][2], h.header("X-Zipline-P-Identifier")
    start, end, total = span
    if start < 0 or end < start or total < 0 or end > total or end - start != spool.size:
        STATE.close("zipline", sid, "refused")
        raise zipline_error(1002)
    if total > ZIPLINE_MAX:
        STATE.close("zipline", sid, "refused")
        raise zipline_error(5001)
    if start == 0:
        sid = STATE.open("zipline", secrets.token_hex(4), length=0)
    session = h.session(sid)
    if not session:
        raise zipline_error(1003)
    last = h.header("X-Zipline-P-Lastchunk") == "true"
    session["length"] += spool.size
    if last and session["length"] != total:
        STATE.close("zipline", sid, "refused")
        raise zipline_error(1002)
    h.keep(session, (start, end), spool)
    result = {"files": []}
    if last:
        name = h.headers.get("X-Zipline-P-Filename")
        if name is None:
            raise zipline_error(9004)
        whole = h.new_spool()
        with open(whole.path, "wb") as out:
            for (start_of_piece, _), piece in sorted(session["pieces"].items(), key=lambda item: item[0]):
                out.seek(start_of_piece)  # whatever the order, and whether gaps are left or not
                with open(piece.path, "rb") as source:
                    shutil.copyfileobj(source, out, BLOCK)
        result["files"].append(zipline_file(h, name, [whole], True))
        STATE.close("zipline", sid, "done")
    result["partialSuccess"] = True
    if start == 0:
        result["partialIdentifier"] = sid
    return as_json(200, result)


def zipline_file(h, filename, spools, pending):
    name = secrets.token_urlsafe(6)[:6] + os.path.splitext(filename)[1]
    kind = h.header("X-Zipline-P-Content-Type") or "application/octet-stream"
    STATE.store("zipline", name, spools, {"filename": filename, "type": kind,
                                          "deletes_at": h.headers.get("X-Zipline-Deletes-At")})
    return {"id": secrets.token_hex(12), "name": name, "type": kind, "url": h.link(f"/zipline/u/{name}"),
            **({"pending": True} if pending else {})}


SERVICES["zipline"] = zipline, zipline_roles


# Cloudinary, chunked upload.
# From "Upload" > "Chunked asset upload" (cloudinary.com/documentation/upload_images),
# "Guidelines for implementing chunked upload" (support article 208263735), and the
# reply of an unfinished chunk in the asset-management API (NonFinalChunkUploadResponse).


def cloudinary_error(message, status=400):
    return Refuse(as_json(status, {"error": {"message": message}}, {"X-Cld-Error": message}))


def cloudinary_range(h):
    match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|-1)", h.header("Content-Range"))
    return match and tuple(int(x) for x in match.groups())


def cloudinary_roles(h):
    span = cloudinary_range(h)
    if not span:
        return {"piece", "finish"}
    return {"piece"} | ({"begin"} if span[0] == 0 else set()) | ({"finish"} if span[1] + 1 == span[2] else set())


def cloudinary_signature(fields):
    """cloudinary.com/documentation/authentication_signatures: the SHA-1 of all parameters but these, sorted, then the
    secret; a timestamp is good for an hour."""
    unsigned = {"file", "cloud_name", "resource_type", "api_key", "signature"}
    text = "&".join(f"{name}={fields[name]}" for name in sorted(fields) if name not in unsigned)
    wanted = hashlib.sha1(f"{text}cloud-secret".encode()).hexdigest()
    if fields.get("signature") != wanted:
        raise cloudinary_error(f"Invalid Signature {fields.get('signature')}. String to sign - '{text}'.", 401)
    if abs(time.time() - int(fields.get("timestamp", 0))) > 3600:
        raise cloudinary_error(f"Stale request - reported time is {fields.get('timestamp')} which is more than 1 hour ago", 400)


def cloudinary(h):
    match = re.fullmatch(r"/cloudinary/v1_1/([^/]+)/(image|video|raw|auto)/upload", h.route)
    if not match or h.command != "POST":
        raise cloudinary_error("Resource not found", 404)
    if match[1] != "demo":
        raise cloudinary_error(f"Invalid cloud_name {match[1]}", 401)
    form = h.form()
    fields, files = form if form else ({}, [])
    files = [each for each in files if each[0] == "file"]
    if not files:
        raise cloudinary_error("Missing required parameter - file")
    if "api_key" in fields:
        cloudinary_signature(fields)
    elif not fields.get("upload_preset"):
        raise cloudinary_error("Upload preset must be specified when using unsigned upload")
    if fields.get("upload_preset", "").startswith("bad"):
        raise cloudinary_error("Upload preset not found")
    _, filename, spool = files[0]
    spools, sid = [spool], None
    if h.header("Content-Range"):
        span = cloudinary_range(h)
        if not span or span[0] > span[1] or (span[2] >= 0 and span[1] >= span[2]):
            raise cloudinary_error("Invalid Content-Range header value")
        start, end, total = span
        if spool.size != end - start + 1:
            raise cloudinary_error("Content-Range does not match the size of the chunk")
        last = end + 1 == total
        sid = h.header("X-Unique-Upload-Id") or fields.get("public_id")
        if not sid and start:
            raise cloudinary_error("Missing required parameter - public_id")
        if not last and spool.size < 5 * MIB:
            raise cloudinary_error("All parts except EOF-chunk must be larger than 5mb")
        session = h.session(sid) if sid else None
        if not session and start:
            raise cloudinary_error("First chunk must be uploaded before any other chunk")
        if not session and not (last and not start):
            session = h.session(STATE.open("cloudinary", sid, total=total))
        if session:
            if -1 not in (total, session["total"]) and total != session["total"]:
                raise cloudinary_error("Content-Range total differs from the one of an earlier chunk")
            h.keep(session, start, spool)
        if not last:
            sofar = sum(each.size for each in session["pieces"].values())
            return as_json(200, {"done": False, "bytes": sofar, "kind": "upload"})
        if session:
            spools, at = [], 0
            while at in session["pieces"] and at < total:
                spools.append(session["pieces"][at])
                at += spools[-1].size
            if at != total:
                raise cloudinary_error("Last chunk was uploaded before all other chunks")
    public = fields.get("public_id") or secrets.token_hex(10)
    end = os.path.splitext(filename)[1].lower()
    kind = match[2] if match[2] != "auto" else (
        "image" if end in (".jpg", ".jpeg", ".png", ".gif", ".webp", ".pdf") else
        "video" if end in (".mp4", ".mov", ".webm", ".mkv", ".mp3", ".wav") else "raw")
    if kind == "raw" and not fields.get("public_id"):
        public += end
    thing = STATE.store("cloudinary", public, spools, {
        "filename": filename, "preset": fields.get("upload_preset"), "fields": fields})
    STATE.close("cloudinary", sid, "done")
    version = int(time.time())
    path = f"/cloudinary/res/demo/{kind}/upload/v{version}/{quote(public)}" + ("" if kind == "raw" else end)
    return as_json(200, {
        "asset_id": secrets.token_hex(16), "public_id": public, "version": version,
        "version_id": secrets.token_hex(16), "signature": secrets.token_hex(20), "resource_type": kind,
        "created_at": iso(), "tags": [], "bytes": thing["bytes"], "type": "upload", "etag": thing["md5"],
        "placeholder": False, "url": h.link(path), "secure_url": h.link(path), "folder": "",
        "original_filename": os.path.splitext(filename)[0], **({"done": True} if sid else {})})


SERVICES["cloudinary"] = cloudinary, cloudinary_roles


# Azure Blob Storage, blocks of a block blob.
# From the REST reference: "Put Block", "Put Block List", "Put Blob", "Blob Storage
# error codes", "Create a service SAS"; and Azure/Azurite BlockBlobHandler (block ids).


def azure_error(status, code, message, extra=""):
    text = f"{message}\nRequestId:{secrets.token_hex(16)}\nTime:{iso(form='%Y-%m-%dT%H:%M:%S.0000000Z')}"
    return Refuse(answer(status, f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code>'
                         f"<Message>{text}</Message>{extra}</Error>",
                         {"x-ms-error-code": code, "x-ms-version": "2021-08-06"}, "application/xml"))


def azure_roles(h):
    if h.command != "PUT":
        return set()
    return {"block": {"piece"}, "blocklist": {"finish"}}.get(h.query.get("comp"), {"piece", "finish"})


def azure_md5(h, found):
    given = h.headers.get("Content-MD5")
    if given is None:
        return {}
    try:
        value = base64.b64decode(given, validate=True)
    except binascii.Error:
        value = b""
    if len(value) != 16:
        raise azure_error(400, "InvalidMd5", "The MD5 value specified in the request is invalid. "
                          "MD5 value must be 128 bits and base64 encoded.")
    if value.hex() != found:
        raise azure_error(400, "Md5Mismatch", "The MD5 value specified in the request did not match with the "
                          "MD5 value calculated by the server.")
    return {"Content-MD5": given}


def azure(h):
    query, key = h.query, "/".join(h.parts[2:])
    if "sig" not in query:
        raise azure_error(401, "NoAuthenticationInformation", "Server failed to authenticate the request. Please "
                          "refer to the information in the www-authenticate header.")
    end = query.get("se", "9")
    if query["sig"].startswith("bad") or not query["sig"] or end < iso(form="%Y-%m-%dT%H:%M:%SZ"):
        raise azure_error(403, "AuthenticationFailed", "Server failed to authenticate the request. Make sure the "
                          "value of Authorization header is formed correctly including the signature.")
    if not set(query.get("sp", "w")) & set("cw"):
        raise azure_error(403, "AuthorizationPermissionMismatch",
                          "This request is not authorized to perform this operation using this permission.")
    if not h.header("x-ms-version") and not query.get("sv"):
        raise azure_error(400, "MissingRequiredHeader", "An HTTP header that's mandatory for this request is not "
                          "specified.", "<HeaderName>x-ms-version</HeaderName>")
    if h.parts[1:2] != ["container"]:
        raise azure_error(404, "ContainerNotFound", "The specified container does not exist.")
    if h.command != "PUT" or not key:
        raise azure_error(405, "UnsupportedHttpVerb", "The resource doesn't support specified Http Verb.")
    if h.chunked or h.headers.get("Content-Length") is None:
        raise azure_error(411, "MissingContentLengthHeader", "Content-Length HTTP header is missing")
    common = {"x-ms-request-id": secrets.token_hex(16), "x-ms-version": h.header("x-ms-version") or query["sv"],
              "x-ms-request-server-encrypted": "true"}
    metadata = {name.lower(): value for name, value in h.headers.items()
                if name.lower().startswith(("x-ms-meta-", "x-ms-blob-"))}
    comp = query.get("comp")
    if comp == "block":
        return azure_block(h, key, common)
    if comp == "blocklist":
        return azure_list(h, key, common, metadata)
    if comp:
        raise azure_error(400, "InvalidQueryParameterValue", "Value for one of the query parameters specified in "
                          "the request URI is invalid.", "<QueryParameterName>comp</QueryParameterName>")
    if not h.header("x-ms-blob-type"):
        raise azure_error(400, "MissingRequiredHeader", "An HTTP header that's mandatory for this request is not "
                          "specified.", "<HeaderName>x-ms-blob-type</HeaderName>")
    if h.header("x-ms-blob-type") != "BlockBlob":
        raise azure_error(400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct "
                          "format.", "<HeaderName>x-ms-blob-type</HeaderName>")
    spool = h.receive("md5")
    common |= azure_md5(h, spool.sums["md5"])
    metadata["type"] = h.header("x-ms-blob-content-type") or h.header("Content-Type") or "application/octet-stream"
    thing = STATE.store("azure", key, [spool], metadata)
    STATE.close("azure", key, "replaced")
    return answer(201, headers={**common, "ETag": f'"0x{thing["md5"][:15].upper()}"', "Last-Modified": formatdate(usegmt=True)})


def azure_block(h, key, common):
    block = h.query.get("blockid", "")
    try:
        raw = base64.b64decode(block, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if not 1 <= len(raw) <= 64:
        raise azure_error(400, "InvalidQueryParameterValue", "Value for one of the query parameters specified in "
                          "the request URI is invalid.", f"<QueryParameterName>blockid</QueryParameterName>"
                          f"<QueryParameterValue>{escape(block)}</QueryParameterValue>")
    if not h.left:
        raise azure_error(400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct "
                          "format.", "<HeaderName>Content-Length</HeaderName><HeaderValue>0</HeaderValue>")
    if h.left > 4000 * MIB:
        raise azure_error(413, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum "
                          "permissible limit.", f"<MaxLimit>{4000 * MIB}</MaxLimit>")
    spool = h.receive("md5")
    headers = azure_md5(h, spool.sums["md5"])
    with STATE.lock:
        session = h.session(key) or STATE.sessions["azure"][STATE.open("azure", key)]
        if any(len(other) != len(block) for other in session["pieces"]):
            raise azure_error(400, "InvalidBlobOrBlock", "The specified blob or block content is invalid.")
        h.keep(session, block, spool)
    return answer(201, headers={**common, **headers})


def azure_list(h, key, common, metadata):
    data = h.text()
    md5 = hashlib.md5(data)
    azure_md5(h, md5.hexdigest())
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        root = None
    if root is None or root.tag != "BlockList" or any(
            each.tag not in ("Committed", "Uncommitted", "Latest") for each in root):
        raise azure_error(400, "InvalidXmlDocument", "XML specified is not syntactically valid.")
    if len(root) > 50000:
        raise azure_error(400, "BlockListTooLong", "The block list may not contain more than 50,000 blocks.")
    with STATE.lock:
        fresh = (h.session(key) or {"pieces": {}})["pieces"]
        kept = BLOCKS.get(key, {}) if ("azure", key) in STATE.objects else {}
        chosen = []
        for each in root:
            block = (each.text or "").strip()
            spool = fresh.get(block) if each.tag != "Committed" else None
            if not spool and each.tag != "Uncommitted":
                spool = kept.get(block)
            if not spool:
                raise azure_error(400, "InvalidBlockList", "The specified block list is invalid.")
            chosen.append((block, spool))
        metadata["type"] = h.header("x-ms-blob-content-type") or "application/octet-stream"
        thing = STATE.store("azure", key, [spool for _, spool in chosen], metadata)
        # Committed blocks stay, so that the same list can be sent again.
        BLOCKS[key] = dict(chosen)
        for block in [b for b, spool in fresh.items() if spool in BLOCKS[key].values()]:
            fresh.pop(block)
        STATE.close("azure", key, "done")
    return answer(201, headers={**common, "ETag": f'"0x{thing["md5"][:15].upper()}"', "Last-Modified": formatdate(usegmt=True),
                                "Content-MD5": base64.b64encode(md5.digest()).decode()})


SERVICES["azure"] = azure, azure_roles


# Google Cloud Storage, resumable upload of the JSON API.
# From "Resumable uploads" and "Perform resumable uploads" (cloud.google.com/storage/docs),
# googleapis/storage-testbench testbench/rest_server.py, and the text of the live service on
# small chunks (googleapis/gcs-resumable-upload issue 17): less than 256 KiB is refused,
# of more than that only whole multiples are kept, unless the chunk is the last.

STEP = 256 * 1024


def gcs_error(status, message, reason):
    return Refuse(as_json(status, {"error": {"code": status, "message": message, "errors": [
        {"message": message, "domain": "global", "reason": reason}]}}, {"Vary": "Origin, X-Origin"}))


def gcs_plain(status, message):
    return Refuse(answer(status, message, kind="text/html; charset=utf-8"))


def gcs_range(h):
    """(start, end, total) with None for what is open, or None without a usable header."""
    match = re.fullmatch(r"bytes[ =](?:\*|(\d+)-(\d+))/(\d+|\*)", h.header("Content-Range"))
    return match and tuple(integer(x) for x in match.groups())


def gcs_roles(h):
    if h.command == "POST":
        return {"begin"} if h.query.get("uploadType") == "resumable" else {"piece", "finish"}
    if h.command != "PUT":
        return set()
    span = gcs_range(h)
    if not span:
        return {"piece", "finish"}
    if span[0] is None:
        return set()
    return {"piece", "finish"} if span[2] == span[1] + 1 else {"piece"}


def gcs_object(h, thing):
    md5 = base64.b64encode(bytes.fromhex(thing["md5"])).decode()
    name, bucket = thing["key"], thing["metadata"]["bucket"]
    where = f"/storage/v1/b/{bucket}/o/{quote(name, safe='')}"
    return as_json(200, {
        "kind": "storage#object", "id": f"{bucket}/{name}/{thing['metadata']['generation']}", "name": name,
        "bucket": bucket, "selfLink": h.link("/gcs" + where), "mediaLink": h.link("/gcs/download" + where + "?alt=media"),
        "generation": thing["metadata"]["generation"], "metageneration": "1", "contentType": thing["metadata"]["type"],
        "storageClass": "STANDARD", "size": str(thing["bytes"]), "md5Hash": md5, "etag": "CJ" + md5[:10],
        "timeCreated": iso(), "updated": iso(), "metadata": thing["metadata"]["resource"].get("metadata", {})})


def gcs_store(h, bucket, resource, kind, spools):
    thing = STATE.store("gcs", resource["name"], spools, {
        "bucket": bucket, "type": kind, "resource": resource, "generation": str(time.time_ns() // 1000)})
    given = resource.get("md5Hash")
    if given and given != base64.b64encode(bytes.fromhex(thing["md5"])).decode():
        os.unlink(STATE.objects.pop(("gcs", resource["name"]))["path"])
        raise gcs_error(400, f'Provided MD5 hash "{given}" doesn\'t match calculated MD5 hash.', "invalid")
    return thing


def gcs(h):
    match = re.fullmatch(r"/gcs/upload/storage/v1/b/([^/]+)/o", h.route)
    if not match:
        raise gcs_error(404, "Not Found", "notFound")
    if h.command == "POST":
        return gcs_begin(h, match[1])
    sid = h.query.get("upload_id", "")
    past = STATE.past.get(("gcs", sid))
    if isinstance(past, dict) and h.command == "PUT":
        return gcs_object(h, past)
    session = h.session(sid)
    if not session:
        raise gcs_plain({"expired": 410, "aborted": 499}.get(past, 404), "Not Found" if past is None else "")
    if h.command == "DELETE":
        STATE.close("gcs", sid, "aborted")
        return answer(499)
    if h.command != "PUT":
        raise gcs_error(405, "Method Not Allowed", "httpMethodNotAllowed")
    return gcs_put(h, sid, session)


def gcs_begin(h, bucket):
    if not h.bearer():
        raise gcs_error(401, "Invalid Credentials" if h.header("Authorization") else
                        "Anonymous caller does not have storage.objects.create access to the Google Cloud Storage object.",
                        "authError" if h.header("Authorization") else "required")
    if bucket != "bucket":
        raise gcs_error(404, "The specified bucket does not exist.", "notFound")
    kind = h.query.get("uploadType")
    if kind == "media":
        if not h.query.get("name"):
            raise gcs_error(400, "Required object name", "required")
        spool = h.receive()
        return gcs_object(h, gcs_store(h, bucket, {"name": h.query["name"]},
                                       h.header("Content-Type") or "application/octet-stream", [spool]))
    if kind != "resumable":
        raise gcs_error(400, "Unknown upload type", "invalid")
    resource = load_json(h.text())
    if resource is None:
        raise gcs_error(400, "Parse Error", "parseError")
    if h.query.get("name"):
        resource["name"] = h.query["name"]
    if not resource.get("name"):
        raise gcs_error(400, "Required object name", "required")
    total = h.headers.get("X-Upload-Content-Length")
    if total is not None and integer(total) is None:
        raise gcs_plain(400, "Invalid value for X-Upload-Content-Length")
    data = Spool()
    open(data.path, "wb").close()
    sid = STATE.open("gcs", bucket=bucket, resource=resource, total=integer(total), lock=threading.Lock(),
                     type=resource.get("contentType") or h.header("X-Upload-Content-Type") or "application/octet-stream")
    STATE.sessions["gcs"][sid]["pieces"][0] = data
    return answer(200, headers={"X-GUploader-UploadID": sid, "Location": h.link(
        f"{h.route}?uploadType=resumable&name={quote(resource['name'], safe='')}&upload_id={sid}")})


def gcs_put(h, sid, session):
    data, span = session["pieces"][0], gcs_range(h)
    if h.header("Content-Range") and not span:
        raise gcs_plain(400, "Failed to parse Content-Range header.")
    start, end, total = span or (0, None, None)
    if total is not None and session["total"] not in (None, total):
        raise gcs_plain(400, f"Invalid request.  According to the Content-Range header, the upload should be {total} "
                        f"byte(s), but an earlier request gave {session['total']} byte(s).")
    if span and start is None:  # a question after what is there
        if h.left or h.chunked:
            raise gcs_plain(400, "Invalid request.  A status query has no body.")
        if total is not None and total < data.size:
            raise gcs_plain(400, "Invalid request.  More bytes are there than the total given.")
        return gcs_finish(h, sid, session) if total == data.size else gcs_incomplete(data)
    if end is not None and (end < start or (total is not None and end >= total)):
        raise gcs_plain(400, "Failed to parse Content-Range header.")
    session["total"] = session["total"] if total is None else total
    partial = STATE.fault("gcs", "partial")
    with session["lock"]:
        if h.session(sid) is not session:
            raise gcs_plain(410, "")
        try:
            spool = h.receive()
        except Lost as lost:  # what came before the cut is kept in whole steps
            if start <= data.size and not partial:
                gcs_append(data, lost.spool, start, (start + lost.spool.size) // STEP * STEP)
            raise
        size = spool.size
        if end is not None and size != end - start + 1:
            raise gcs_plain(400, f"Invalid request.  There were {size} byte(s) in the request body.  There should have "
                            f"been {end - start + 1} byte(s) (starting at offset {start} and ending at offset {end}) "
                            "according to the Content-Range header.")
        if not span and session["total"] not in (None, size):
            raise gcs_plain(400, f"Invalid request.  {size} byte(s) came, {session['total']} were announced.")
        last = not span or total == end + 1
        if not last and size < STEP:
            raise gcs_plain(400, "Invalid request.  The number of bytes uploaded is required to be equal or greater than "
                            "262144, except for the final request (it's recommended to be the exact multiple of 262144)."
                            f"  The received request contained {size} bytes, which does not meet this requirement.")
        if start > data.size:
            raise gcs_plain(503, "Service Unavailable")
        if partial:
            gcs_append(data, spool, start, min(start + partial["after"], start + size))
            return gcs_incomplete(data)
        gcs_append(data, spool, start, start + size if last else (start + size) // STEP * STEP)
        return gcs_finish(h, sid, session) if last else gcs_incomplete(data)


def gcs_append(data, spool, start, end):
    """Take the bytes up to the offset end; those already there are passed over."""
    if end <= data.size:
        return
    with open(spool.path, "rb") as source, open(data.path, "ab") as out:
        source.seek(data.size - start)
        while data.size < end:
            data.size += out.write(source.read(min(BLOCK, end - data.size)))


def gcs_incomplete(data):
    return answer(308, headers={"Range": f"bytes=0-{data.size - 1}"} if data.size else {})


def gcs_finish(h, sid, session):
    try:
        thing = gcs_store(h, session["bucket"], session["resource"], session["type"], [session["pieces"][0]])
    except Refuse:
        STATE.close("gcs", sid, "refused")
        raise
    STATE.close("gcs", sid, thing)
    return gcs_object(h, thing)


SERVICES["gcs"] = gcs, gcs_roles


# Dropbox, upload sessions (one after another; concurrent ones are not copied).
# From the HTTP API documentation, /files/upload, /files/upload_session/start, append_v2 and
# finish, and dropbox/dropbox-api-spec files.stone (UploadSessionLookupError, UploadSessionFinishError).

DROPBOX_MAX = 150 * MIB


def dropbox_error(tag, inner=None, name=None, **fields):
    """A 409 with the union member tag; inner is the union within it, under its tag or name."""
    error, summary = {".tag": tag, **fields}, tag
    if inner:
        error[name or tag] = inner
    while inner:  # the summary goes down all the unions
        summary += "/" + inner[".tag"]
        inner = inner.get(inner[".tag"])
    summary += "/.."
    return Refuse(as_json(409, {"error_summary": summary, "error": error}, kind="application/json"))


def dropbox_bad(h, message):
    return Refuse(answer(400, f'Error in call to API function "{h.route.removeprefix("/dropbox/2/")}": {message}',
                         kind="text/plain; charset=utf-8"))


def dropbox_roles(h):
    role = {"start": {"begin"}, "append_v2": {"piece"}, "finish": {"finish"}, "upload": {"piece", "finish"}}.get(
        h.parts[-1], set())
    return role | ({"piece"} if h.left or h.chunked else set())


def dropbox_hash(path):
    """Dropbox's content_hash: the sum over the sums of blocks of 4 MiB."""
    whole = hashlib.sha256()
    with open(path, "rb") as source:
        while block := source.read(4 * MIB):
            whole.update(hashlib.sha256(block).digest())
    return whole.hexdigest()


def dropbox(h):
    call = h.route.removeprefix("/dropbox/2/files/")
    if call not in ("upload", "upload_session/start", "upload_session/append_v2", "upload_session/finish"):
        return answer(404, "Unknown API function", kind="text/plain; charset=utf-8")
    if h.command != "POST":
        raise dropbox_bad(h, "HTTP method must be POST")
    if not h.header("Authorization"):
        raise dropbox_bad(h, 'Must provide HTTP header "Authorization" or URL parameter "authorization".')
    if not h.header("Authorization").startswith("Bearer "):
        raise dropbox_bad(h, 'Invalid authorization value in HTTP header "Authorization"')
    if not h.bearer():
        return as_json(401, {"error_summary": "invalid_access_token/..", "error": {".tag": "invalid_access_token"}})
    kind = h.header("Content-Type")
    if kind.replace(" ", "") not in ("application/octet-stream", "text/plain;charset=dropbox-cors-hack"):
        raise dropbox_bad(h, f'Bad HTTP "Content-Type" header: "{kind}".  Expecting one of "application/octet-stream", '
                          '"text/plain; charset=dropbox-cors-hack".')
    text = h.headers.get("Dropbox-API-Arg", h.query.get("arg"))
    if text is None:
        raise dropbox_bad(h, 'Must provide HTTP header "Dropbox-API-Arg" or URL parameter "arg".')
    arg = load_json(text)
    if arg is None or not text.isascii():
        raise dropbox_bad(h, 'HTTP header "Dropbox-API-Arg": could not decode input as JSON')
    finish = call == "upload_session/finish"
    commit = (arg.get("commit") if finish else arg) or {}
    path = commit.get("path")
    if (finish or call == "upload") and not (isinstance(path, str) and re.fullmatch(r"/(.|[\r\n])*", path)):
        raise dropbox_bad(h, f"request body: path: {json.dumps(path)} did not match pattern '(/(.|[\\r\\n])*)|(ns:[0-9]+(/.*)?)"
                          "|(id:.*)'" if path is not None else "request body: missing required field 'path'")
    cursor = arg.get("cursor")
    if call.endswith(("append_v2", "finish")):
        if not isinstance(cursor, dict) or not isinstance(cursor.get("session_id"), str) or type(cursor.get("offset")) is not int:
            raise dropbox_bad(h, "request body: cursor: expected object with session_id and offset")
    if h.left > DROPBOX_MAX:
        raise dropbox_error("payload_too_large")
    spool = h.receive()
    if spool.size > DROPBOX_MAX:
        raise dropbox_error("payload_too_large")
    if arg.get("content_hash") not in (None, dropbox_hash(spool.path)):
        raise dropbox_error("content_hash_mismatch")
    if call == "upload_session/start":
        if arg.get("session_type") not in (None, "sequential", {".tag": "sequential"}):
            raise dropbox_error("other")
        session = STATE.sessions["dropbox"][STATE.open("dropbox", closed=bool(arg.get("close")))]
        h.keep(session, 0, spool)
        return as_json(200, {"session_id": session["id"]}, kind="application/json")
    if call == "upload":
        return dropbox_commit(commit, [spool], False)
    wrap = (lambda tag, **f: dropbox_error("lookup_failed", {".tag": tag, **f})) if finish else dropbox_error
    with STATE.lock:
        session = h.session(cursor["session_id"])
        if not session:
            raise wrap("not_found")
        size = sum(each.size for each in session["pieces"].values())
        if session["closed"] and not (finish and not spool.size):
            raise wrap("closed")
        if cursor["offset"] != size:
            raise wrap("incorrect_offset", correct_offset=size)
        if spool.size:
            h.keep(session, size, spool)
        if not finish:
            session["closed"] = bool(arg.get("close"))
            return as_json(200, None, kind="application/json")
        result = dropbox_commit(commit, [session["pieces"][n] for n in sorted(session["pieces"])], True)
        STATE.close("dropbox", session["id"], "done")
        return result


def dropbox_commit(commit, spools, finish):
    path, mode = commit["path"], commit.get("mode", "add")
    mode = mode.get(".tag") if isinstance(mode, dict) else mode
    old = STATE.objects.get(("dropbox", path))
    if old and mode == "add":
        whole = hashlib.sha256()
        for spool in spools:
            with open(spool.path, "rb") as source:
                while block := source.read(BLOCK):
                    whole.update(block)
        if whole.hexdigest() != old["sha256"]:  # the same content is no conflict
            if not commit.get("autorename"):
                reason = {".tag": "conflict", "conflict": {".tag": "file"}}
                raise dropbox_error("path", reason, "path" if finish else "reason")
            stem, end = os.path.splitext(path)
            path = next(p for n in range(1, 10000) if ("dropbox", p := f"{stem} ({n}){end}") not in STATE.objects)
    thing = STATE.store("dropbox", path, spools, {"commit": commit})
    return as_json(200, {
        "name": path.rsplit("/", 1)[1], "path_lower": path.lower(), "path_display": path, "id": "id:" + secrets.token_urlsafe(16),
        "client_modified": commit.get("client_modified", iso()), "server_modified": iso(), "rev": secrets.token_hex(8),
        "size": thing["bytes"], "is_downloadable": True, "content_hash": dropbox_hash(thing["path"])}, kind="application/json")


SERVICES["dropbox"] = dropbox, dropbox_roles


# Amazon S3, multipart upload.
# From the API reference: CreateMultipartUpload, UploadPart, CompleteMultipartUpload,
# AbortMultipartUpload, PutObject, "Error responses"; "Authenticating requests: using query
# parameters".  The signature in an Authorization header is not computed.


def s3_error(status, code, message, **extra):
    more = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in extra.items())
    return Refuse(answer(status, f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}'
                         f"</Message>{more}<RequestId>{secrets.token_hex(8).upper()}</RequestId>"
                         f"<HostId>{secrets.token_urlsafe(32)}</HostId></Error>", kind="application/xml"))


def s3_roles(h):
    if h.command == "POST":
        return {"begin"} if "uploads" in h.query else {"finish"}
    if h.command != "PUT":
        return set()
    return {"piece"} if "uploadId" in h.query else {"piece", "finish"}


def s3_receive(h):
    """The body, with the sums given in the headers checked."""
    if h.chunked or h.headers.get("Content-Length") is None:
        raise s3_error(411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    if h.left > 5 * GIB:
        raise s3_error(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size",
                       ProposedSize=h.left, MaxSizeAllowed=5 * GIB)
    wanted = h.header("x-amz-content-sha256")
    if wanted.startswith("STREAMING-"):
        raise s3_error(501, "NotImplemented", "A header you provided implies functionality that is not implemented",
                       Header="x-amz-content-sha256")
    hexed = re.fullmatch(r"[0-9a-f]{64}", wanted)
    if wanted and not hexed and wanted != "UNSIGNED-PAYLOAD":
        raise s3_error(400, "InvalidArgument", "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, "
                       "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, or a valid sha256 value.",
                       ArgumentName="x-amz-content-sha256", ArgumentValue=wanted)
    given = h.headers.get("Content-MD5")
    try:
        md5 = base64.b64decode(given, validate=True) if given is not None else None
    except binascii.Error:
        md5 = b""
    if md5 is not None and len(md5) != 16:
        raise s3_error(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
    spool = h.receive("md5", "sha256") if hexed else h.receive("md5")
    if hexed and spool.sums["sha256"] != wanted:
        raise s3_error(400, "XAmzContentSHA256Mismatch", "The provided 'x-amz-content-sha256' header does not match what "
                       "was computed.", ClientComputedContentSHA256=wanted, S3ComputedContentSHA256=spool.sums["sha256"])
    if md5 is not None and md5.hex() != spool.sums["md5"]:
        raise s3_error(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
    return spool


def s3_number(h):
    number = integer(h.query.get("partNumber"))
    if not number or number > 10000:
        raise s3_error(400, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive",
                       ArgumentName="partNumber", ArgumentValue=h.query.get("partNumber", ""))
    return number


def s3_session(h, key):
    session = h.session(h.query["uploadId"])
    if not session or session["key"] != key:
        raise s3_error(404, "NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the "
                       "upload may have been aborted or completed.", UploadId=h.query["uploadId"])
    return session


def s3(h):
    signed = h.header("Authorization")
    if not signed:
        raise s3_error(403, "AccessDenied", "Access Denied")
    if not signed.startswith("AWS4-HMAC-SHA256 Credential="):
        raise s3_error(400, "AuthorizationHeaderMalformed", "The authorization header is malformed; the authorization "
                       "component is malformed.")
    if not h.header("x-amz-content-sha256"):
        raise s3_error(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
    if h.parts[1:2] != ["bucket"]:
        raise s3_error(404, "NoSuchBucket", "The specified bucket does not exist", BucketName="".join(h.parts[1:2]))
    key = unquote(h.route).removeprefix("/s3/bucket/")
    if h.command == "POST" and "uploads" in h.query:
        s3_receive(h)
        sid = STATE.open("s3", key=key, metadata=s3_metadata(h))
        return answer(200, '<?xml version="1.0" encoding="UTF-8"?>\n<InitiateMultipartUploadResult '
                      'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>bucket</Bucket>'
                      f"<Key>{escape(key)}</Key><UploadId>{sid}</UploadId></InitiateMultipartUploadResult>", kind="application/xml")
    if h.command == "PUT" and ("uploadId" in h.query or "partNumber" in h.query):
        return s3_part(h, key)
    if h.command == "POST" and "uploadId" in h.query:
        session = s3_session(h, key)
        with open(s3_receive(h).path, "rb") as source:
            text = source.read()
        thing = s3_complete(h, session, s3_list(text))
        where = escape(h.link("/s3/bucket/" + quote(key)))
        return answer(200, '<?xml version="1.0" encoding="UTF-8"?>\n<CompleteMultipartUploadResult '
                      f'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Location>{where}</Location><Bucket>bucket</Bucket>'
                      f"<Key>{escape(key)}</Key><ETag>&quot;{thing['metadata']['etag']}&quot;</ETag>"
                      "</CompleteMultipartUploadResult>", kind="application/xml")
    if h.command == "DELETE" and "uploadId" in h.query:
        STATE.close("s3", s3_session(h, key)["id"], "aborted")
        return answer(204)
    if h.command == "PUT" and not h.query.keys() & {"uploads"}:
        spool = s3_receive(h)
        STATE.store("s3", key, [spool], {**s3_metadata(h), "etag": spool.sums["md5"]})
        return answer(200, headers={"ETag": f'"{spool.sums["md5"]}"'})
    raise s3_error(405, "MethodNotAllowed", "The specified method is not allowed against this resource.")


def s3_metadata(h):
    return {"type": h.header("Content-Type") or "binary/octet-stream",
            **{name.lower(): value for name, value in h.headers.items() if name.lower().startswith("x-amz-meta-")}}


def s3_part(h, key):
    if "uploadId" not in h.query:
        raise s3_error(400, "InvalidArgument", "This operation does not accept a query-string.",
                       ArgumentName="partNumber", ArgumentValue=h.query["partNumber"])
    number, session = s3_number(h), s3_session(h, key)
    spool = s3_receive(h)
    h.keep(session, number, spool)
    return answer(200, headers={"ETag": f'"{spool.sums["md5"]}"'})


def s3_list(text):
    """The (number, etag) pairs of a CompleteMultipartUpload document."""
    try:
        root = ElementTree.fromstring(text)
        bare = lambda tag: tag.rsplit("}", 1)[-1]
        if bare(root.tag) != "CompleteMultipartUpload":
            raise ValueError
        pairs = []
        for part in root:
            fields = {bare(each.tag): (each.text or "").strip() for each in part}
            pairs.append((int(fields["PartNumber"]), fields["ETag"].strip('"')))
        if not pairs:
            raise ValueError
        return pairs
    except (ElementTree.ParseError, ValueError, KeyError):
        raise s3_error(400, "MalformedXML", "The XML you provided was not well-formed or did not validate against our "
                       "published schema") from None


def s3_complete(h, session, pairs):
    with STATE.lock:
        numbers = [number for number, _ in pairs]
        if any(a >= b for a, b in zip(numbers, numbers[1:])):
            raise s3_error(400, "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by "
                           "part number.", UploadId=session["id"])
        for number, etag in pairs:
            spool = session["pieces"].get(number)
            if not spool or spool.sums["md5"] != etag:
                raise s3_error(400, "InvalidPart", "One or more of the specified parts could not be found.  The part may "
                               "not have been uploaded, or the specified entity tag may not match the part's entity tag.",
                               UploadId=session["id"], PartNumber=number, ETag=etag)
        for number, etag in pairs[:-1]:
            if session["pieces"][number].size < 5 * MIB:
                raise s3_error(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size",
                               ProposedSize=session["pieces"][number].size, MinSizeAllowed=5 * MIB, PartNumber=number, ETag=etag)
        whole = hashlib.md5(b"".join(bytes.fromhex(etag) for _, etag in pairs)).hexdigest()
        thing = STATE.store(h.service, session["key"], [session["pieces"][number] for number in numbers],
                            {**session["metadata"], "etag": f"{whole}-{len(pairs)}"})
        STATE.close(h.service, session["id"], "done")
        return thing


SERVICES["s3"] = s3, s3_roles


# An application of one's own in front of S3 (no public service: the calls are made up here).
# It keeps the keys and hands out presigned part URLs; the PUT of a part goes to /s3/bucket/...
#     POST /presign/begin  {"name", "type", "size"} -> {"upload", "key", "part_size"}
#     GET or POST /presign/part?upload=..&number=.. -> {"url", "method", "headers", "expires_in"}
#     POST /presign/finish {"upload", "parts": [{"number", "etag"}]} -> {"key", "etag", "url"}
#     POST /presign/abort  {"upload"} -> 204

SECRET = secrets.token_bytes(32)


def presign_roles(h):
    if h.parts[0] == "s3":
        return s3_roles(h)
    return {"/presign/begin": {"begin"}, "/presign/finish": {"finish"}}.get(h.route, set())


def elsewhere(h, path):
    # S3 is never the application's own host, which is asked for as localhost.
    return f"http://127.0.0.1:{h.server.server_address[1]}{path}"


def presign_sum(command, path, query):
    text = "\n".join([command, path, urlencode(sorted((k, v) for k, v in query.items() if k != "X-Amz-Signature"))])
    return hmac.new(SECRET, text.encode(), "sha256").hexdigest()


def presign(h):
    if h.parts[0] == "s3":
        return presigned_part(h)
    if h.header("Authorization") != "Bearer app-token":
        return as_json(401, {"error": "unauthorized"}, {"WWW-Authenticate": "Bearer"})
    data = load_json(h.text())
    if data is None:
        return as_json(400, {"error": "body is no JSON object"})
    if h.command not in (("GET", "POST") if h.route == "/presign/part" else ("POST",)):
        return as_json(405, {"error": "method not allowed"})
    if h.route == "/presign/begin":
        if not data.get("name") or not isinstance(data["name"], str):
            return as_json(400, {"error": "name is missing"})
        key = secrets.token_hex(8) + "/" + os.path.basename(data["name"])
        sid = STATE.open("presign", key=key, metadata={"name": data["name"], "type": data.get("type")}, size=data.get("size"))
        return as_json(200, {"upload": sid, "key": key, "part_size": 5 * MIB})
    sid = h.query.get("upload") if h.route == "/presign/part" else data.get("upload")
    session = h.session(sid) if isinstance(sid, str) else None
    if h.route not in ("/presign/part", "/presign/finish", "/presign/abort") or not session:
        return as_json(404, {"error": "unknown upload"})
    if h.route == "/presign/part":
        number = integer(h.query.get("number"))
        if not number or number > 10000:
            return as_json(400, {"error": "number must be 1 to 10000"})
        path = "/s3/bucket/" + quote(session["key"])
        query = {"partNumber": str(number), "uploadId": sid, "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
                 "X-Amz-Credential": f"AKIAEXAMPLE/{iso(form='%Y%m%d')}/us-east-1/s3/aws4_request",
                 "X-Amz-Date": iso(form="%Y%m%dT%H%M%SZ"), "X-Amz-Expires": "900", "X-Amz-SignedHeaders": "host"}
        query["X-Amz-Signature"] = presign_sum("PUT", path, query)
        return as_json(200, {"url": elsewhere(h, path + "?" + urlencode(query)), "method": "PUT", "headers": {}, "expires_in": 900})
    if h.route == "/presign/abort":
        STATE.close("presign", sid, "aborted")
        return answer(204)
    try:
        pairs = [(int(part["number"]), part["etag"].strip('"')) for part in data["parts"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        pairs = []
    if not pairs:
        return as_json(400, {"error": "parts are missing"})
    size = sum(session["pieces"][n].size for n, _ in pairs if n in session["pieces"])
    if session["size"] not in (None, size):
        return as_json(400, {"error": "size differs", "size": size})
    try:
        thing = s3_complete(h, session, pairs)
    except Refuse as refusal:
        code = re.search(rb"<Code>(\w+)", refusal.answer[2])[1].decode()
        return as_json(400, {"error": code})
    return as_json(200, {"key": thing["key"], "etag": thing["metadata"]["etag"],
                         "url": h.link("/s3/bucket/" + quote(thing["key"]))})


def presigned_part(h):
    if h.header("Authorization"):
        raise s3_error(400, "InvalidArgument", "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, "
                       "Signature query string parameter or the Authorization header should be specified",
                       ArgumentName="Authorization", ArgumentValue=h.header("Authorization"))
    if not {"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders"} <= h.query.keys():
        raise s3_error(400, "AuthorizationQueryParametersError", "Query-string authentication version 4 requires the "
                       "X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and "
                       "X-Amz-Expires parameters.")
    wanted = presign_sum(h.command, "/" + "/".join(quote(part) for part in h.parts), h.query)
    if not hmac.compare_digest(wanted, h.query["X-Amz-Signature"]):
        raise s3_error(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you "
                       "provided. Check your key and signing method.")
    begun = calendar.timegm(time.strptime(h.query["X-Amz-Date"], "%Y%m%dT%H%M%SZ"))
    if time.time() > begun + int(h.query["X-Amz-Expires"]):
        raise s3_error(403, "AccessDenied", "Request has expired")
    loose = [n for n in h.headers if n.lower().startswith("x-amz-") and n.lower() != "x-amz-content-sha256"]
    if loose:
        raise s3_error(403, "AccessDenied", "There were headers present in the request which were not signed",
                       HeadersNotSigned=", ".join(loose))
    return s3_part(h, "/".join(h.parts[2:]))


SERVICES["presign"] = presign, presign_roles


# Backblaze B2, large files of the native API.
# From the API documentation: b2_start_large_file, b2_get_upload_part_url, b2_upload_part,
# b2_finish_large_file, b2_cancel_large_file, b2_upload_file, "Uploading" (sums, errors), and
# Backblaze/b2-sdk-python (one upload at a time for each token).


def b2_error(status, code, message):
    return Refuse(as_json(status, {"status": status, "code": code, "message": message}))


def b2_roles(h):
    if h.parts[1:2] in (["part"], ["file"]):
        return {"piece"} if h.parts[1] == "part" else {"piece", "finish"}
    return {"b2_start_large_file": {"begin"}, "b2_finish_large_file": {"finish"}}.get(h.parts[-1], set())


def b2_file(sid, session, action, size=0):
    return {"accountId": "account", "action": action, "bucketId": session["bucket"], "contentLength": size,
            "contentSha1": "none", "contentType": session["type"], "fileId": sid, "fileInfo": session["info"],
            "fileName": session["name"], "uploadTimestamp": session["time"]}


def b2(h):
    token = h.header("Authorization")
    if not token:
        raise b2_error(401, "missing_auth_token", "Authorization header missing")
    if h.parts[1:2] in (["part"], ["file"]):
        return b2_upload(h, token)
    match = re.fullmatch(r"/b2/b2api/v[1-4]/(b2_\w+)", h.route)
    call = match and match[1]
    if call not in ("b2_start_large_file", "b2_get_upload_part_url", "b2_finish_large_file", "b2_cancel_large_file",
                    "b2_get_upload_url") or h.command != "POST":
        raise b2_error(404 if h.command == "POST" else 405, "not_found", f"unknown call {call}")
    if token.startswith("bad") or " " in token or token in UPLOADS:
        raise b2_error(401, "bad_auth_token", "Invalid authorization token")
    data = load_json(h.text())
    if data is None:
        raise b2_error(400, "bad_json", "request body is not a JSON object")
    needed = {"b2_start_large_file": ("bucketId", "fileName", "contentType"), "b2_get_upload_url": ("bucketId",),
              "b2_finish_large_file": ("fileId", "partSha1Array")}.get(call, ("fileId",))
    for name in needed:
        if name not in data:
            raise b2_error(400, "bad_request", f"required field {name} is missing")
        if not isinstance(data[name], list if name == "partSha1Array" else str):
            raise b2_error(400, "bad_request", f"field {name} has the wrong type")
    if call == "b2_start_large_file":
        sid = "4_z" + secrets.token_hex(24)
        STATE.open("b2", sid, bucket=data["bucketId"], name=data["fileName"], type=data["contentType"],
                   info=data.get("fileInfo") or {}, time=int(time.time() * 1000))
        return as_json(200, b2_file(sid, h.session(sid), "start"))
    sid = data.get("fileId")
    session = h.session(sid)
    if call != "b2_get_upload_url" and not session:
        raise b2_error(400, "bad_request", f"No active upload for: {sid}")
    if call in ("b2_get_upload_part_url", "b2_get_upload_url"):
        part, where = "4_" + secrets.token_urlsafe(30), secrets.token_hex(8)
        kind = "part" if call == "b2_get_upload_part_url" else "file"
        UPLOADS[part] = {"where": where, "sid": sid, "bucket": data.get("bucketId"), "kind": kind, "busy": False}
        return as_json(200, {"uploadUrl": h.link(f"/b2/{kind}/{where}"), "authorizationToken": part,
                             **({"fileId": sid} if kind == "part" else {"bucketId": data["bucketId"]})})
    if call == "b2_cancel_large_file":
        STATE.close("b2", sid, "aborted")
        return as_json(200, {"accountId": "account", "bucketId": session["bucket"], "fileId": sid, "fileName": session["name"]})
    with STATE.lock:
        pieces, sums = session["pieces"], data["partSha1Array"]
        if len(sums) < 2:
            raise b2_error(400, "bad_request", "large files must have at least 2 parts")
        if len(sums) != len(pieces) or set(pieces) != set(range(1, len(sums) + 1)):
            raise b2_error(400, "bad_request", f"partSha1Array has {len(sums)} parts, {len(pieces)} parts were uploaded")
        for number, given in enumerate(sums, 1):
            if pieces[number].sums["sha1"] != given:
                raise b2_error(400, "bad_request", f"sha1 of part number {number} does not match")
            if number < len(sums) and pieces[number].size < 5_000_000:
                raise b2_error(400, "bad_request", f"part number {number} is smaller than 5000000 bytes")
        thing = STATE.store("b2", session["name"], [pieces[n] for n in sorted(pieces)],
                            {"type": session["type"], "info": session["info"], "bucket": session["bucket"]})
        STATE.close("b2", sid, "done")
    return as_json(200, b2_file(sid, session, "upload", thing["bytes"]))


def b2_upload(h, token):
    ticket = UPLOADS.get(token)
    if not ticket or h.parts[1:] != [ticket["kind"], ticket["where"]]:
        raise b2_error(401, "bad_auth_token", "Invalid authorization token")
    if h.command != "POST":
        raise b2_error(405, "method_not_allowed", "only POST is supported")
    if h.chunked or h.headers.get("Content-Length") is None:
        raise b2_error(411, "length_required", "Content-Length header is required")
    given = h.header("X-Bz-Content-Sha1")
    if given not in ("hex_digits_at_end", "do_not_verify") and not re.fullmatch(r"[0-9a-fA-F]{40}", given):
        raise b2_error(400, "bad_request", "Invalid X-Bz-Content-Sha1 header" if given else "Missing header: X-Bz-Content-Sha1")
    part = ticket["kind"] == "part"
    number = integer(h.headers.get("X-Bz-Part-Number"))
    if part and (not number or number > 10000):
        raise b2_error(400, "bad_request", "X-Bz-Part-Number must be a number from 1 to 10000")
    if not part and not (h.header("X-Bz-File-Name") and h.header("Content-Type")):
        raise b2_error(400, "bad_request", "Missing header: X-Bz-File-Name or Content-Type")
    session = h.session(ticket["sid"])
    if part and not session:
        raise b2_error(400, "bad_request", f"No active upload for: {ticket['sid']}")
    if not h.left or h.left > 5_000_000_000:
        raise b2_error(400, "bad_request", "Content-Length must be from 1 to 5000000000")
    with STATE.lock:
        if ticket["busy"]:
            raise b2_error(400, "bad_request", f"more than one upload using auth token {token}")
        ticket["busy"] = True
    try:
        spool = h.receive("sha1")
    finally:
        ticket["busy"] = False
    if given == "hex_digits_at_end":
        b2_split(spool)
        given = spool.tail
    if given != "do_not_verify" and given.lower() != spool.sums["sha1"]:
        raise b2_error(400, "bad_request", "Checksum did not match data received")
    if not part:
        name = unquote(h.header("X-Bz-File-Name"))
        about = {"bucket": ticket["bucket"], "name": name, "type": h.header("Content-Type"), "info": {},
                 "time": int(time.time() * 1000)}
        STATE.store("b2", name, [spool], {"type": about["type"], "bucket": about["bucket"]})
        return as_json(200, {**b2_file("4_z" + secrets.token_hex(24), about, "upload", spool.size),
                             "contentSha1": spool.sums["sha1"]})
    h.keep(session, number, spool)
    return as_json(200, {"fileId": ticket["sid"], "partNumber": number, "contentLength": spool.size, "contentMd5": None,
                         "contentSha1": spool.sums["sha1"], "uploadTimestamp": int(time.time() * 1000)})


def b2_split(spool):
    """Cut off the sum which was sent behind the content."""
    spool.size = max(spool.size - 40, 0)
    sha1 = hashlib.sha1()
    with open(spool.path, "r+b") as data:
        data.seek(spool.size)
        spool.tail = data.read().decode("ascii", "replace")
        data.truncate(spool.size)
        data.seek(0)
        while block := data.read(BLOCK):
            sha1.update(block)
    spool.sums["sha1"] = sha1.hexdigest()


SERVICES["b2"] = b2, b2_roles


# Git LFS, batch API and basic transfers.
# From git-lfs/git-lfs docs/api/batch.md and docs/api/basic-transfers.md.  What a server says to
# content which does not fit is left open there: 422 here.

LFS_TYPE = "application/vnd.git-lfs+json"


def lfs_json(status, thing, headers=None):
    return as_json(status, thing, headers, LFS_TYPE)


def lfs_error(status, message, headers=None):
    return Refuse(lfs_json(status, {"message": message, "request_id": secrets.token_hex(8)}, headers))


def lfs_roles(h):
    return {"PUT": {"piece"}, "POST": {"begin"} if h.route.endswith("/batch") else {"finish"}}.get(h.command, set())


def lfs(h):
    match = re.fullmatch(r"/lfs/(info/lfs/objects/batch|objects/([0-9a-f]{64})|verify)", h.route)
    if not match or h.command != ("PUT" if match[2] else "POST"):
        raise lfs_error(404, "Not found")
    if not match[2]:
        if h.header("Content-Type").split(";")[0].strip() != LFS_TYPE:
            raise lfs_error(415, f"Content-Type must be {LFS_TYPE}")
        if LFS_TYPE not in h.header("Accept"):
            raise lfs_error(406, f"The Accept header needs to be {LFS_TYPE}")
        data = load_json(h.text())
        if data is None:
            raise lfs_error(400, "body is not a JSON object")
    if match[1] == "info/lfs/objects/batch":
        return lfs_batch(h, data)
    sid = h.header("Authorization").removeprefix("RemoteAuth ")
    session = h.session(sid) or LFS_DONE.get(sid)
    if not session:
        raise lfs_error(403 if ("lfs", sid) in STATE.past else 401, "Credentials needed", {"LFS-Authenticate": "Basic"})
    if match[2]:
        if match[2] != session["oid"]:
            raise lfs_error(403, "action belongs to another object")
        spool = h.receive("sha256")
        if spool.size != session["size"] or spool.sums["sha256"] != session["oid"]:
            raise lfs_error(422, "content does not match oid and size")
        STATE.store("lfs", session["oid"], [spool], {"verified": False})
        LFS_DONE[sid] = session
        STATE.close("lfs", sid, "done")
        return answer(200)
    thing = STATE.objects.get(("lfs", data.get("oid")))
    if not thing:
        raise lfs_error(404, "Object does not exist")
    if thing["bytes"] != data.get("size"):
        raise lfs_error(422, "size does not match")
    thing["metadata"]["verified"] = True
    return lfs_json(200, {})


def lfs_batch(h, data):
    objects = data.get("objects")
    if data.get("operation") not in ("upload", "download") or not isinstance(objects, list) or not objects:
        raise lfs_error(422, "operation or objects missing or wrong")
    if data.get("hash_algo", "sha256") != "sha256":
        raise lfs_error(409, "hash algorithm is not supported")
    result = []
    for each in objects:
        each = each if isinstance(each, dict) else {}
        oid, size = each.get("oid"), each.get("size")
        entry = {"oid": oid, "size": size}
        result.append(entry)
        if not re.fullmatch(r"[0-9a-f]{64}", str(oid)) or type(size) is not int or size < 0:
            entry["error"] = {"code": 422, "message": "Validation error"}
            continue
        there = ("lfs", oid) in STATE.objects
        if data["operation"] == "upload" and not there:
            header = {"Authorization": "RemoteAuth " + STATE.open("lfs", oid=oid, size=size)}
            entry["authenticated"] = True
            entry["actions"] = {"upload": {"href": h.link(f"/lfs/objects/{oid}"), "header": header, "expires_in": 3600},
                                "verify": {"href": h.link("/lfs/verify"), "header": header, "expires_in": 3600}}
        elif data["operation"] == "download":
            entry["error"] = {"code": 404, "message": "Object does not exist" if not there else "only uploads here"}
    if all(entry.get("error", {}).get("code") == 422 for entry in result):
        raise lfs_error(422, "Validation error")
    return lfs_json(200, {"transfer": "basic", "objects": result, "hash_algo": "sha256"})


SERVICES["lfs"] = lfs, lfs_roles


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, address)


def main():
    server = Server(("127.0.0.1", 0), Handler)
    print("port", server.server_address[1], flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    finally:
        shutil.rmtree(STATE.root, ignore_errors=True)


STATE = State()
if __name__ == "__main__":
    main()
