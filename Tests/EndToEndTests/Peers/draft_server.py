"""A strict server of one version of Resumable Uploads for HTTP: draft_server.py VERSION FOLDER [CUT…].

Written from the text of the draft with that interop version: -01 (3), -02 (4), -03 (5), -05 (6), -06 (7), -09 (8), the
text before -12 (9), and what -13 changed (10). To requests in other versions it is an ordinary server. It ends the
connection where an upload reaches a CUT, each once. What is complete goes into FOLDER, and what a client must not do is
printed as "complaint: …". Says "port N" when it listens, and "request METHOD VERSION BYTES" for each request.
"""
import pathlib
import re
import socket
import sys
import threading

version = int(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
cuts = sorted(int(cut) for cut in sys.argv[3:])
uploads: dict[str, "Upload"] = {}
lock = threading.Lock()
stored = 0

# The field that says whether an upload is complete, and its values for "yes" and "no".
FIELD, YES, NO = ("upload-incomplete", "?0", "?1") if version == 3 else ("upload-complete", "?1", "?0")
OTHER = "upload-complete" if version == 3 else "upload-incomplete"
LIMITS = {6: "min-size=0, expires=600"}.get(version, "min-size=0, max-age=600") if version >= 6 else None


class Upload:
    def __init__(self, name: str, length: "int | None"):
        self.name, self.length = name, length
        self.data, self.complete = bytearray(), False
        self.holder: "socket.socket | None" = None
        self.lock = threading.Lock()


def say(words: str) -> None:
    with lock:
        print(words, flush=True)


def store(name: str, data: bytes) -> str:
    global stored
    with lock:
        stored += 1
        place = folder / f"{stored}-{name}"
    place.write_bytes(data)
    return place.name


def boolean(text: "str | None") -> "bool | None":
    return {YES: True, NO: False}.get(text or "")


class Client:
    def __init__(self, connection: socket.socket):
        self.socket = connection
        self.file = connection.makefile("rb")

    def complain(self, words: str) -> None:
        say(f"complaint: {self.method} {self.path}: {words}")

    def send(self, status: str, *fields: "tuple[str, object]", body: bytes = b"") -> None:
        lines = [f"HTTP/1.1 {status}"] + [f"{name}: {value}" for name, value in fields]
        if not status.startswith(("1", "204")):
            lines.append(f"Content-Length: {len(body)}")
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def inform(self, *fields: "tuple[str, object]") -> None:
        self.send("104 Upload Resumption Supported", *fields, ("Upload-Draft-Interop-Version", version))

    def serve(self) -> None:
        while self.head():
            if not self.answer():
                return

    def head(self) -> bool:
        line = self.file.readline().decode()
        if not line:
            return False
        self.method, self.path, _ = line.split()
        self.fields = {}
        while (line := self.file.readline().decode().strip()):
            name, _, value = line.partition(":")
            if name.lower() in self.fields:
                self.complain(f"two fields {name}")
            self.fields[name.lower()] = value.strip()
        self.length = int(self.fields.get("content-length", 0))
        said = self.fields.get("upload-draft-interop-version")
        self.speaks = said == str(version)
        say(f"request {self.method} {said} {self.length}")
        return True

    def go_on(self) -> None:
        if self.fields.get("expect", "").lower() == "100-continue":
            self.send("100 Continue")

    def answer(self) -> bool:
        if self.path.startswith("/uploads/"):
            return self.about(self.path.removeprefix("/uploads/"))
        if self.method == "OPTIONS":
            self.file.read(self.length)
            # From -05 on, the limits are announced; before, nothing is said of OPTIONS.
            self.send("204 No Content", *([("Upload-Limit", LIMITS)] if LIMITS else []))
            return True
        if not self.speaks:
            return self.ordinary()
        return self.create()

    def ordinary(self) -> bool:
        """An upload like any other: it counts if all of it arrives."""
        self.go_on()
        data = self.file.read(self.length)
        if len(data) == self.length:
            store("ordinary", data)
            self.send("201 Created")
        return len(data) == self.length

    def create(self) -> bool:
        is_last = boolean(self.fields.get(FIELD))
        if is_last is None:
            self.complain(f"no {FIELD}")
        if OTHER in self.fields:
            self.complain(f"{OTHER} is no field of this version")
        if "upload-offset" in self.fields:
            self.complain("Upload-Offset in a creation")
        if version < 6 and "upload-length" in self.fields:
            self.complain("Upload-Length is no field of this version")
        length = int(self.fields["upload-length"]) if "upload-length" in self.fields else None
        if is_last and length not in (None, self.length):
            self.complain("Upload-Length is not Content-Length")
        name = re.sub(r".*filename=\"(.*)\".*", r"\1", self.fields.get("content-disposition", "file"))
        upload = Upload(name, self.length if is_last else length)
        number = f"{len(uploads)}"
        uploads[number] = upload
        place = ("Location", f"/uploads/{number}")
        self.inform(place, *([("Upload-Limit", LIMITS)] if LIMITS else []))
        self.go_on()
        return self.take(upload, bool(is_last), place)

    def take(self, upload: Upload, is_last: bool, place: "tuple[str, str] | None") -> bool:
        """Takes the content of a request, up to the next cut."""
        with upload.lock:
            upload.holder = self.socket
            rest = self.length
            while rest:
                there = len(upload.data)
                with lock:
                    cut = next((cut for cut in cuts if there < cut < there + rest), None)
                data = self.file.read1(min(rest, 1 << 16, cut - there if cut else rest))
                upload.data += data
                rest -= len(data)
                if not data or cut == len(upload.data):
                    with lock:
                        if data:
                            cuts.remove(cut)
                    return False
            return self.acknowledge(upload, is_last, place)

    def acknowledge(self, upload: Upload, is_last: bool, place: "tuple[str, str] | None") -> bool:
        offset = [("Upload-Offset", len(upload.data))] if version < 7 else []
        if not is_last:
            status = "201 Created" if place or version < 7 else "204 No Content"
            self.send(status, *([place] if place else []), *offset, (FIELD, NO))
            return True
        upload.complete = True
        name = store(upload.name, upload.data)
        result = ("Content-Location" if version < 7 and place else "Location", f"/stored/{name}")
        # Before -06, that it is complete goes without saying.
        mark = [(FIELD, YES)] if version >= 7 else []
        self.send("201 Created", *([place] if place and version < 7 else []), result, *offset, *mark)
        return True

    def about(self, number: str) -> bool:
        if not self.speaks:
            self.complain("not in the version in which it was offered")
        upload = uploads.get(number)
        if upload is None:
            self.file.read(self.length)
            self.send("404 Not Found")
            return True
        # A new request ends the one before.
        if upload.holder is not None and upload.holder is not self.socket and upload.lock.locked():
            try:
                upload.holder.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if self.method in ("HEAD", "DELETE"):
            if version < 7 and {"upload-offset", FIELD} & self.fields.keys():
                self.complain("fields that must not be there")
                self.send("400 Bad Request")
                return True
            with upload.lock:
                return self.state(upload) if self.method == "HEAD" else self.cancel(number)
        if self.method == "PATCH":
            return self.append(upload)
        self.complain("method")
        self.file.read(self.length)
        self.send("405 Method Not Allowed")
        return True

    def cancel(self, number: str) -> bool:
        del uploads[number]
        self.send("204 No Content")
        return True

    def state(self, upload: Upload) -> bool:
        fields: "list[tuple[str, object]]" = [("Upload-Offset", len(upload.data)), ("Cache-Control", "no-store")]
        if version < 10:
            fields.append((FIELD, YES if upload.complete else NO))
            if version >= 6 and upload.length is not None:
                fields.append(("Upload-Length", upload.length))
        if LIMITS:
            fields.append(("Upload-Limit", LIMITS))
        # -01 and -02 know 204 only.
        self.send("204 No Content" if version < 5 else "200 OK", *fields)
        return True

    def append(self, upload: Upload) -> bool:
        is_last = boolean(self.fields.get(FIELD))
        if is_last is None:
            if version >= 7:
                self.complain(f"no {FIELD}")
            is_last = True
        if OTHER in self.fields:
            self.complain(f"{OTHER} is no field of this version")
        if version >= 6 and self.fields.get("content-type") != "application/partial-upload":
            self.complain("not application/partial-upload")
        offset = self.fields.get("upload-offset")
        if offset is None or not offset.isdigit():
            self.complain("no Upload-Offset")
        if offset != str(len(upload.data)):
            self.file.read(self.length)
            mark = [(FIELD, NO)] if version >= 7 else []
            self.send("409 Conflict", ("Upload-Offset", len(upload.data)), *mark)
            return True
        if upload.complete:
            self.file.read(self.length)
            if version < 9:
                self.send("400 Bad Request")
            else:
                self.send("201 Created", (FIELD, YES))
            return True
        if is_last and upload.length not in (None, len(upload.data) + self.length):
            self.complain("not the rest of it")
        self.go_on()
        return self.take(upload, is_last, None)


def serve(connection: socket.socket) -> None:
    try:
        Client(connection).serve()
    except ConnectionError:
        pass
    except (OSError, ValueError) as error:
        say(f"error: {error}")
    finally:
        # A reset, as where a line breaks.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
say(f"port {listener.getsockname()[1]}")
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
