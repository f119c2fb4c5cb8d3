#!/usr/bin/env python3
"""Compares what hoist makes of ShareX's custom uploaders with what ShareX does: their requests, and the addresses that
they take from replies.

    Tests/ShareX/model.py HOIST FOLDER    FOLDER: .sxcu files, such as those of github.com/ShareX/CustomUploaders

The model is written from ShareX's documentation (https://getsharex.com/docs/custom-uploader). Each image or file uploader
is imported, with its host replaced by a server here, and sends a file. The server answers with a reply in which the
uploader finds something. An uploader is right if the request is the model's and the addresses are. Prints what is not
right and why, and how many are. The exit status is that of the comparison: 0 if at least 100 of 113, or all of fewer, are.
"""

import email
import email.policy
import http.server
import json
import pathlib
import re
import re._parser as parser
import subprocess
import sys
import tempfile
import threading
import urllib.parse

FILE_NAME = "a file.png"
# The scheme and the host of a RequestURL, functions of both syntaxes among it.
HOST = re.compile(r"^https?://(?:[$][^$]*[$]|[{][^}]*[}]|[^/?])*")
CONTENT = b"\x89PNG\r\n\x1a\n and some more"


class Unsupported(Exception):
    """The documentation does not say what this does, or it is for texts and not for files."""


# MARK: ShareX's strings

def split(text, old):
    """Literal texts, and functions as (name, argument)."""
    pieces, literal, i = [], "", 0
    opening, closing = ("$", "$") if old else ("{", "}")
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text) and text[i + 1] in "{}$\\|":
            literal += text[i + 1]
            i += 2
        elif text[i] == opening:
            depth, end = 0, i + 1
            while end < len(text):
                if text[end] == "\\":
                    end += 1
                elif not old and text[end] == "{":
                    depth += 1
                elif text[end] == closing:
                    if depth == 0:
                        break
                    depth -= 1
                end += 1
            else:
                raise Unsupported("a function is not closed")
            pieces.append(literal)
            literal = ""
            name, _, argument = text[i + 1:end].partition(":")
            pieces.append((name.lower(), argument))
            i = end + 1
        else:
            literal += text[i]
            i += 1
    return [piece for piece in pieces + [literal] if piece != ""]


def unescaped(text):
    return re.sub(r"\\([|{}])", r"\1", text)


def arguments(text):
    """An argument at each bar that is not escaped."""
    return [unescaped(part) for part in re.split(r"(?<!\\)\|", text)]


def path(text):
    """The names and numbers of Newtonsoft's SelectToken."""
    steps = []
    for name, number, quoted in re.findall(r"([^.\[\]$]+)|\[(\d+)\]|\['([^']*)'\]", text):
        steps.append(int(number) if number else quoted or name)
    return steps


class Uploader:
    """What ShareX does with one file of its own."""

    def __init__(self, text):
        self.json = json.loads(text.lstrip("\ufeff"))
        version = [int(part) for part in (self.text("Version") or "13.7.1").split(".")]
        self.old = version <= [13, 7, 1]
        self.expressions = self.json.get("RegexList") or []

    def text(self, key):
        return self.json.get(key) or ""

    @property
    def is_for_files(self):
        kinds = self.text("DestinationType")
        return not kinds or "ImageUploader" in kinds or "FileUploader" in kinds

    def request(self, text):
        """A string of the request as an expression that what is sent has to match."""
        result = ""
        for piece in split(text, self.old):
            if isinstance(piece, str):
                result += re.escape(piece).replace("%unix", r"\d{10}").replace("%guid", "[0-9a-f-]{36}")
            elif piece[0] == "filename":
                result += re.escape(FILE_NAME)
            elif piece[0] == "random":
                result += "(?:" + "|".join(map(re.escape, arguments(piece[1]))) + ")"
            elif piece[0] == "base64":
                import base64
                result += re.escape(base64.b64encode(piece[1].encode()).decode())
            else:
                raise Unsupported("{" + piece[0] + "} in a request")
        return result

    def expression(self, argument):
        """The regular expression and its group, as Python writes them."""
        if self.old:
            number, _, group = argument.replace(",", "|").partition("|")
            source = self.expressions[int(number) - 1]
        else:
            parts = arguments(argument)
            if len(parts) > 2:
                parts = parts[1:]
            source, group = parts[0], parts[1] if len(parts) > 1 else ""
        source = re.sub(r"\(\?<(\w+)>", r"(?P<\1>", source)
        return source, int(group) if group.isdigit() else group or 0

    def functions(self):
        """The functions of all addresses, and whether the address begins with it."""
        for key in "URL", "DeletionURL":
            for number, piece in enumerate(split(self.text(key), self.old)):
                if not isinstance(piece, str):
                    yield piece, number == 0

    def address(self, key, reply):
        """The address that ShareX takes from a reply, as an expression, or None."""
        text = self.text(key)
        if not text:
            if key == "DeletionURL":
                return None
            if self.text("ResponseType") in ("RedirectionURL", "LocationHeader"):
                return re.escape(reply.location)
            return re.escape(reply.text.strip())
        result = ""
        for piece in split(text, self.old):
            if isinstance(piece, str):
                result += re.escape(piece)
                continue
            name, argument = piece
            if name == "response":
                result += re.escape(reply.text.strip())
            elif name == "responseurl":
                result += re.escape(reply.location)
            elif name == "header":
                result += re.escape(reply.headers[argument.lower()])
            elif name == "json":
                result += re.escape(reply.value(path(unescaped(argument))))
            elif name == "regex":
                source, group = self.expression(argument)
                found = re.search(source, reply.text)
                if not found:
                    raise Unsupported(f"no reply was made in which {source} finds anything")
                result += re.escape(found.group(group))
            elif name == "random":
                result += "(?:" + "|".join(map(re.escape, arguments(argument))) + ")"
            else:
                raise Unsupported("{" + name + "} in an address")
        return result


# MARK: Replies

def sample(tokens, groups):
    """A text that an expression of these tokens matches."""
    text = ""
    for kind, value in tokens:
        kind = str(kind)
        if kind == "LITERAL":
            text += chr(value)
        elif kind == "NOT_LITERAL":
            text += "k" if value != ord("k") else "m"
        elif kind == "ANY":
            text += "k"
        elif kind == "IN":
            text += of_set(value)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            text += "".join(sample(inner, groups) for _ in range(max(least, min(3, most))))
        elif kind == "SUBPATTERN":
            inner = sample(value[3], groups)
            groups[value[0]] = inner
            text += inner
        elif kind == "BRANCH":
            text += sample(value[1][0], groups)
        elif kind == "GROUPREF":
            text += groups[value]
        elif kind == "ASSERT":
            text += sample(value[1], groups)
        elif kind not in ("AT", "ASSERT_NOT"):
            raise Unsupported(f"an expression with {kind}")
    return text


def of_set(items):
    kinds = [(str(kind), value) for kind, value in items]
    for letter in "k7m-_./:%&=Kx":
        def fits(kind, value):
            if kind == "LITERAL":
                return ord(letter) == value
            if kind == "RANGE":
                return value[0] <= ord(letter) <= value[1]
            classes = {"DIGIT": letter.isdigit(), "WORD": letter.isalnum() or letter == "_", "SPACE": False}
            name = str(value).removeprefix("CATEGORY_")
            return not classes[name[4:]] if name.startswith("NOT_") else classes[name]
        inside = any(fits(*item) for item in kinds if item[0] != "NEGATE")
        if inside != (kinds[0][0] == "NEGATE"):
            return letter
    return chr(items[0][1])


class Reply:
    """A reply in which an uploader finds whatever it looks for."""

    def __init__(self, uploader, port):
        self.headers, self.document, self.status = {}, None, 200
        self.location = f"http://127.0.0.1:{port}/result/r7k"
        texts = []
        for number, ((name, argument), is_first) in enumerate(uploader.functions()):
            start = f"http://127.0.0.1:{port}/" if is_first else ""
            if name == "json":
                self.put(path(unescaped(argument)), f"{start}v{number}k")
            elif name == "header":
                self.headers[argument.lower()] = f"{start}h{number}k"
            elif name == "responseurl":
                self.status = 302
            elif name == "regex":
                source, _ = uploader.expression(argument)
                text = sample(parser.parse(source), {})
                if not any(re.search(source, other) for other in texts):
                    texts.append(text)
        if uploader.text("ResponseType") in ("RedirectionURL", "LocationHeader"):
            self.status = 302
        if self.status == 302:
            self.headers["location"] = self.location
        if self.document is not None:
            self.text = json.dumps(self.document)
            if texts:
                # Members of the document, or part of a value in it.
                whole = self.text[0] + "".join(texts) + self.text[1:]
                rest = "".join(map(json.dumps, texts))
                self.text = whole if is_json(whole) else self.text[:-1] + (
                    f', "texts": {rest}}}' if self.text[0] == "{" else f", {rest}]")
        else:
            self.text = "\n".join(texts) or f"http://127.0.0.1:{port}/w7k"

    def put(self, steps, value):
        if not steps:
            self.document = value
            return
        if self.document is None:
            self.document = [] if isinstance(steps[0], int) else {}
        place = self.document
        for step, following in zip(steps, steps[1:] + [None]):
            if isinstance(step, int):
                place.extend({} for _ in range(step + 1 - len(place)))
            if following is None:
                place[step] = value
            elif isinstance(step, int):
                place[step] = place[step] or ([] if isinstance(following, int) else {})
            else:
                place.setdefault(step, [] if isinstance(following, int) else {})
            place = place[step]

    def value(self, steps):
        place = self.document
        for step in steps:
            place = place[step]
        return str(place)


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


class Server(http.server.BaseHTTPRequestHandler):
    """Keeps the requests, and gives the reply that is set."""

    reply, seen = None, []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Server.seen.append((self.command, self.path, self.headers, body))
        data = Server.reply.text.encode()
        self.send_response(Server.reply.status)
        for name, value in Server.reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_PUT = do_PATCH = answer

    def log_message(self, *_):
        pass


# MARK: The comparison

def differences(uploader, sent, reply, record):
    command, target, headers, body = sent
    method = uploader.text("RequestMethod") or uploader.text("RequestType") or "POST"
    if command != method:
        yield f"method {command}, not {method}"
    wanted = uploader.request(HOST.sub("", uploader.text("RequestURL")))
    where, _, query = target.partition("?")
    base, _, own = wanted.partition(r"\?")
    base = base if base.startswith("/") else "/" + base
    if not re.fullmatch(base, where) and not re.fullmatch(base, urllib.parse.unquote(where)):
        yield f"path {where}, not {base}"
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    expected = [(re.escape(name), uploader.request(value or ""))
                for name, value in (uploader.json.get("Parameters") or {}).items()]
    expected += [(name, value) for name, _, value in (pair.partition("=") for pair in own.split("&")) if name]
    if not same(pairs, expected, ordered=False):
        yield f"query {pairs}, not {expected}"
    for name, value in (uploader.json.get("Headers") or {}).items():
        if name.lower() not in ("content-length", "content-type") and \
                not re.fullmatch(uploader.request(value), headers.get(name, "")):
            yield f"header {name}: {headers.get(name)}"
    if (uploader.text("Body") or "MultipartFormData") == "Binary":
        if body != CONTENT:
            yield "the body is not the file"
    else:
        message = email.message_from_bytes(
            b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP)
        parts = [(part.get_param("name", header="content-disposition"), part.get_payload(decode=True), part.get_filename())
                 for part in message.iter_parts()]
        fields = [(name, value.decode()) for name, value, file in parts if file is None]
        expected = [(re.escape(name), uploader.request(value or ""))
                    for name, value in (uploader.json.get("Arguments") or {}).items()]
        if not same(fields, expected, ordered=True):
            yield f"fields {fields}, not {expected}"
        files = [(name, value, file) for name, value, file in parts if file is not None]
        if files != [(uploader.text("FileFormName") or "file", CONTENT, FILE_NAME)]:
            yield f"files {files}"
    for key, ours in ("URL", record.get("url")), ("DeletionURL", record.get("deletion_url")):
        wanted = uploader.address(key, reply)
        if wanted is not None and not matches(wanted, ours):
            yield f"{key} {ours}, not {wanted}"


def matches(wanted, ours):
    # What an expression finds here may be no address but the end of one: hoist prints the whole of it.
    return ours is not None and re.fullmatch(rf"(?:http://127[.]0[.]0[.]1:[0-9]+/(?:.*/)?)?{wanted}", ours) is not None


def same(pairs, expected, ordered):
    if len(pairs) != len(expected):
        return False
    if not ordered:
        pairs, expected = sorted(pairs), sorted(expected)
    return all(re.fullmatch(name, pair[0]) and re.fullmatch(value, pair[1])
               for pair, (name, value) in zip(pairs, expected))


def compare(hoist, file, port, folder):
    """Why an uploader is not right; nothing if it is."""
    text = file.read_text("utf-8-sig")
    uploader = Uploader(text)
    try:
        reply = Reply(uploader, port)
    except Unsupported as why:
        return [str(why)]
    members = json.loads(text)
    members["RequestURL"] = HOST.sub(f"http://127.0.0.1:{port}", members.get("RequestURL", ""))
    members["Name"] = "u"
    (folder / "u.sxcu").write_text(json.dumps(members))
    (folder / "c.toml").unlink(missing_ok=True)
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(folder / "state")}

    def run(*words):
        return subprocess.run([hoist, *words], capture_output=True, text=True, env=environment, cwd=folder, timeout=60)

    made = run("target", "import", "u.sxcu", "--config", "c.toml")
    losses = [line for line in made.stderr.splitlines()
              if "not carried over" in line and "ThumbnailURL" not in line and "ErrorMessage" not in line]
    if made.returncode or losses:
        return losses or made.stderr.strip().splitlines()
    Server.reply, Server.seen = reply, []
    pushed = run("push", FILE_NAME, "--to", "u", "--config", "c.toml", "--json")
    records = [json.loads(line) for line in pushed.stdout.splitlines() if line.startswith("{")]
    record = next((entry for entry in records if "url" in entry or "status" in entry), {})
    if len(Server.seen) != 1:
        return [f"{len(Server.seen)} requests: {pushed.stderr.strip()[:200]}"]
    if pushed.returncode:
        return [pushed.stderr.strip()[:200]]
    try:
        return list(differences(uploader, Server.seen[0], reply, record))
    except Unsupported as why:
        return [str(why)]


def main():
    hoist, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    files = [file for file in sorted(source.glob("*.sxcu")) if Uploader(file.read_text("utf-8-sig")).is_for_files]
    right = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / FILE_NAME).write_bytes(CONTENT)
        for file in files:
            faults = compare(hoist, file, server.server_port, folder)
            right += not faults
            for fault in faults:
                print(f"{file.name}: {fault}")
    print(f"{right} of {len(files)} image and file uploaders are right")
    return right < min(len(files), 100)


if __name__ == "__main__":
    sys.exit(main())
