"""Lets curl and requests write forms, and prints each as a line of JSON for Hoist's parser.

A line has sender, contentType, body (base64) and parts, as parse_with_python.py reads them, with
`typePrefix` for the part's type where the rest of it is the sender's to choose.
"""
import base64
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

import requests

captured = []


class Capture(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        captured.append((self.headers["Content-Type"], body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Capture)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"


def part(name, content, file_name=None, type_prefix=None):
    return {"name": name, "fileName": file_name, "typePrefix": type_prefix,
            "content": base64.b64encode(content).decode()}


def emit(sender, parts, refused=None):
    content_type, body = captured.pop()
    assert not captured
    print(json.dumps({"sender": sender, "contentType": content_type, "parts": parts,
                      "refused": refused, "body": base64.b64encode(body).decode()}))


def curl(arguments, parts, refused=None):
    subprocess.run(["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", *arguments, url],
                   check=True)
    emit("curl " + " ".join(arguments), parts, refused)


def send(parts, **arguments):
    session = requests.Session()
    session.trust_env = False
    session.post(url, **arguments).raise_for_status()
    emit(f"requests {arguments!r:.200}", parts)


octets = "application/octet-stream"
random.seed(3)
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    files = {
        "plain.txt": b"hello\r\nworld\n", "empty.bin": b"", "zeros.bin": bytes(100_000),
        "random.bin": random.randbytes(1_000_000), "dashes": b"\r\n--" + b"-" * 70_000 + b"\r\n--",
        "n\u0259 me.txt": b"x", 'quo"te.txt': b"x", "back\\slash.txt": b"x", "semi;colon,.txt": b"x",
    }
    for name, content in files.items():
        open(name, "wb").write(content)

    # curl
    curl(["-F", "a=b"], [part("a", b"b")])
    curl(["--form-string", "a=@b\r\nc\nd"], [part("a", b"@b\r\nc\nd")])
    curl(["-F", "a=", "-F", "a=2"], [part("a", b""), part("a", b"2")])
    for name in ["plain.txt", "empty.bin", "zeros.bin", "random.bin", "dashes", "n\u0259 me.txt"]:
        curl(["-F", f"f=@{name}"],
             [part("f", files[name], name, "text/plain" if name.endswith("txt") else octets)])
    curl(["-F", "f=@plain.txt;type=image/png;filename=other.png"],
         [part("f", files["plain.txt"], "other.png", "image/png")])
    curl(["-F", "f=<plain.txt"], [part("f", files["plain.txt"])])
    curl(["-F", "f=<plain.txt;type=a/b"], [part("f", files["plain.txt"], None, "a/b")])
    # Quotes as %22, or with a backslash, as curl did before 7.81.
    curl(["-F", 'f=@"quo\\"te.txt"'], [part("f", b"x", "quo%22te.txt", "text/plain")])
    curl(["--form-escape", "-F", 'f=@"quo\\"te.txt"'], [part("f", b"x", 'quo"te.txt', "text/plain")])
    curl(["-F", 'f=@"back\\\\slash.txt"'], [part("f", b"x", "back\\slash.txt", "text/plain")])
    curl(["-F", 'f=@"semi;colon,.txt"'], [part("f", b"x", "semi;colon,.txt", "text/plain")])
    curl(["-F", "a=b;type=text/x;headers=\"X-Custom: y\"", "-F", "f=@plain.txt"],
         [part("a", b"b", None, "text/x"), part("f", files["plain.txt"], "plain.txt", "text/plain")])
    many = [argument for n in range(500) for argument in ("-F", f"n{n}={n}")]
    curl(many, [part(f"n{n}", str(n).encode()) for n in range(500)])
    curl(["-F", "a=b;encoder=8bit", "-F", "f=@plain.txt;encoder=binary"],
         [part("a", b"b"), part("f", files["plain.txt"], "plain.txt", "text/plain")])
    curl(["-F", "a=b;encoder=base64"], [], "base64")

    # requests
    send([part("f", b"content", "f")], files={"f": b"content"})
    send([part("a", b"1"), part("a", b"2"), part("f", files["random.bin"], "random.bin")],
         data=[("a", "1"), ("a", "2")], files={"f": open("random.bin", "rb")})
    send([part("f", b"x", "n\u0259.txt", "text/plain")],
         files={"f": ("n\u0259.txt", b"x", "text/plain")})
    send([part("\u0259", b"x", 'a%22b\\c')], files={"\u0259": ('a"b\\c', b"x")})
    send([part("f", b"", "f", "a/b")], files={"f": ("f", b"", "a/b", {"X-Custom": "y"})})
    send([part("f", b"x")], files={"f": (None, b"x")})
    send([part("f", n.to_bytes(2, "big"), f"{n}.bin") for n in range(500)],
         files=[("f", (f"{n}.bin", n.to_bytes(2, "big"))) for n in range(500)])
server.shutdown()
