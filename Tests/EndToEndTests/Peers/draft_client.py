"""A strict client of one version of Resumable Uploads for HTTP: draft_client.py VERSION URL FILE [CUT…].

Written from the text of the draft with that interop version: see draft_server.py. It sends FILE to URL, ends its
connection where CUT bytes are sent, and goes on. What a server must not do ends it with an error. Prints the number of
requests, and the final reply's body.
"""
import http.client
import pathlib
import socket
import sys
import urllib.parse

version = int(sys.argv[1])
url = urllib.parse.urlsplit(sys.argv[2])
path = pathlib.Path(sys.argv[3])
data = path.read_bytes()
cuts = [int(cut) for cut in sys.argv[4:]]
FIELD, YES, NO = ("Upload-Incomplete", "?0", "?1") if version == 3 else ("Upload-Complete", "?1", "?0")
requests = 0


def demand(truth: object, words: str) -> None:
    if not truth:
        sys.exit(f"the server: {words}")


class Reply:
    def __init__(self, file):
        line = file.readline().decode()
        demand(line.startswith("HTTP/1.1 "), f"no reply but {line!r}")
        self.status = int(line.split()[1])
        self.fields = http.client.parse_headers(file)
        self.file = file

    def body(self) -> bytes:
        return self.file.read(int(self.fields.get("Content-Length", 0)))

    def integer(self, name: str) -> int:
        text = self.fields.get(name)
        demand(text is not None and text.isdigit(), f"{self.status} with {name} {text!r}")
        return int(text)


def send(method: str, target: str, fields: "dict[str, object]", content: bytes = b"", most: "int | None" = None):
    """Sends a request, or the first `most` bytes of its content. Returns its replies, or what came before the cut."""
    global requests
    requests += 1
    connection = socket.create_connection((url.hostname, url.port), timeout=60)
    lines = [f"{method} {target} HTTP/1.1", f"Host: {url.netloc}", f"Upload-Draft-Interop-Version: {version}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    if method not in ("HEAD", "DELETE"):
        lines.append(f"Content-Length: {len(content)}")
# The server has to have begun the request before it is cut: a later one that overtook it would not know of it.
    if most is not None:
        lines.append("Expect: 100-continue")
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
    file = connection.makefile("rb")
    replies = []
# The offer comes before anything is sent, so that it is not lost with the connection.
    if method == "POST":
        replies.append(Reply(file))
    while most is not None and (not replies or replies[-1].status != 100):
        replies.append(Reply(file))
        demand(replies[-1].status < 200, f"{replies[-1].status} before the content")
    connection.sendall(content if most is None else content[:most])
    if most is None:
        while not replies or replies[-1].status < 200:
            replies.append(Reply(file))
        reply = replies[-1]
        reply.content = b"" if method == "HEAD" else reply.body()
    else:
        # What has been sent is to arrive before the line is gone.
        connection.shutdown(socket.SHUT_WR)
    for reply in replies:
        if reply.status < 200:
            demand(reply.status in (100, 104), f"{reply.status}")
            if reply.status == 104:
                named = reply.fields.get("Upload-Draft-Interop-Version")
                demand(named == str(version), f"104 in version {named}")
                demand(version >= 5 or "Upload-Offset" not in reply.fields, "progress in an old version")
    for later in replies[1:]:
        demand(later.status >= 200 or "Location" not in later.fields, "Location in a later 104")
    connection.close()
    return replies


def next_cut(offset: int) -> "int | None":
    while cuts and cuts[0] <= offset:
        cuts.pop(0)
    return cuts.pop(0) - offset if cuts else None


def check_state(reply: Reply, is_complete: bool) -> int:
    demand(reply.status == 204 or version >= 5 and 200 <= reply.status < 300, f"HEAD: {reply.status}")
    demand("no-store" in reply.fields.get("Cache-Control", ""), "HEAD without no-store")
    mark = reply.fields.get(FIELD)
    demand(mark == (YES if is_complete else NO) or version >= 10 and mark is None, f"HEAD: {FIELD} is {mark}")
    if 6 <= version < 10:
        demand(reply.integer("Upload-Length") == len(data), "HEAD: another Upload-Length")
    if version >= 8:
        demand("Upload-Limit" in reply.fields, "HEAD without Upload-Limit")
    demand(version >= 6 or "Upload-Limit" not in reply.fields, "Upload-Limit in an old version")
    return reply.integer("Upload-Offset")


def check_part(reply: Reply, offset: int) -> None:
    mark = reply.fields.get(FIELD)
    demand(mark == NO, f"{FIELD} of a part is {mark}")
    if version < 7:
        demand(reply.status == 201, f"a part: {reply.status}")
        demand(reply.integer("Upload-Offset") == offset, "another offset after a part")
    else:
        demand(200 <= reply.status < 300, f"a part: {reply.status}")


def check_end(reply: Reply) -> None:
    demand(200 <= reply.status < 300, f"the end: {reply.status} {reply.content!r}")
    mark = reply.fields.get(FIELD)
    demand(mark == YES or version < 7 and mark is None, f"{FIELD} of the end is {mark}")
    if version < 7:
        demand(reply.integer("Upload-Offset") == len(data), "another offset at the end")


def limits(reply: Reply) -> "dict[str, str]":
    return dict(member.strip().split("=") for member in reply.fields["Upload-Limit"].split(","))


if version >= 6:
    options = send("OPTIONS", url.path, {})[-1]
    demand("Upload-Limit" in options.fields, "OPTIONS without Upload-Limit")

fields = {FIELD: YES, "Content-Disposition": f'inline; filename="{path.name}"', "Content-Type": "application/x-test"}
if version >= 6:
    fields["Upload-Length"] = len(data)
most = next_cut(0)
replies = send("POST", url.path, fields, data, most)
demand(replies[0].status == 104, f"{replies[0].status} and no 104")
place = replies[0].fields.get("Location")
demand(place, "104 without Location")
target = urllib.parse.urlsplit(urllib.parse.urljoin(sys.argv[2], place)).path
if most is None and version < 7:
    demand(replies[-1].fields.get("Location") == place, "another Location than in the 104")
if version == 6 and "Upload-Limit" in replies[0].fields:
    demand("max-age" not in limits(replies[0]), "max-age in 6")

is_part = False
while most is not None:
    state = send("HEAD", target, {})[-1]
    offset = check_state(state, is_complete=False)
    if version >= 7 and offset:
        demand("max-age" in limits(state), "no max-age")
    if version < 7:
        refused = send("HEAD", target, {"Upload-Offset": offset})[-1]
        demand(refused.status == 400, f"HEAD with Upload-Offset: {refused.status}")
    kind = {"Content-Type": "application/partial-upload"} if version >= 6 else {}
    wrong = send("PATCH", target, {"Upload-Offset": offset + 1, FIELD: NO, **kind}, b"x")[-1]
    demand(wrong.status == 409 and wrong.integer("Upload-Offset") == offset, f"a wrong offset: {wrong.status}")
    # A part of its own now and then, or the rest.
    is_part = not is_part
    if is_part and offset + 1000 < len(data):
        check_part(send("PATCH", target, {"Upload-Offset": offset, FIELD: NO, **kind}, data[offset:offset + 1000])[-1],
                   offset + 1000)
        offset += 1000
    most = next_cut(offset)
    replies = send("PATCH", target, {"Upload-Offset": offset, FIELD: YES, **kind}, data[offset:], most)

check_end(replies[-1])
demand(check_state(send("HEAD", target, {})[-1], is_complete=True) == len(data), "another offset in the end")
print(requests)
print(replies[-1].content.decode())
