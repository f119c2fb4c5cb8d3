"""Files in pieces, to strict copies of services: senders that are killed, connections that are cut, replies that are
lost. One whole object arrives, and little is sent twice."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

from common import Count, Place, source

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPES = os.path.join(HERE, "..", "..", "config", "recipes")
COPIES = os.path.join(HERE, "..", "EndToEndTests", "Peers", "pieces.py")

# A recipe, its server, the copy's name, the smallest piece that the service takes, and the secret.
SERVICES = {
    "nextcloud": ("https://cloud.example", "nextcloud", "5 MiB", ("NEXTCLOUD_PASSWORD", "secret")),
    "zipline": ("https://zipline.example", "zipline", "4 MiB", ("ZIPLINE_TOKEN", "token")),
    "cloudinary": ("https://api.cloudinary.com", "cloudinary", "5 MiB", None),
    "azure": ("https://account.blob.core.windows.net", "azure", "4 MiB",
              ("AZURE_SAS", "sv=2023-11-03&sp=cw&se=2099-01-01T00%3A00%3A00Z&sr=c&sig=abc%2Bdef%3D")),
    "gcs": ("https://storage.googleapis.com", "gcs", "4 MiB", None),
    "dropbox": ("https://content.dropboxapi.com", "dropbox", "4 MiB", ("DROPBOX_TOKEN", "token")),
    "s3": ("http://127.0.0.1:3000", "s3", "5 MiB", ("AWS_SECRET_ACCESS_KEY", "secret")),
    "s3-parts": ("https://app.example", "presign", "5 MiB", ("APP_TOKEN", "app-token")),
    "b2": ("https://api001.backblazeb2.com", "b2", "5 MB", ("B2_TOKEN", "account")),
}
# It adds up what it gets, so that it must not get its last piece again if that may have arrived.
COUNTING = {"zipline"}
# One piece after the other, and three at once where their order does not matter.
FAST_RETRY = 'retry = { attempts = 30, base = "10ms", max = "50ms" }'
CASES = [(name, 1) for name in SERVICES] + [(name, 3) for name in ["nextcloud", "azure", "s3", "s3-parts", "b2"]]


def title(name, parallel):
    return name if parallel == 1 else f"{name} x{parallel}"


class Copies:
    """The copies, in a process of their own."""

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, COPIES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, path, data=None):
        content = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=content, method="GET" if data is None else "POST")
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"{}")

    def reset(self):
        self.ask("/reset", {})
        # The recipe for Nextcloud wants a folder that is there.
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/nextcloud/remote.php/dav/files/me/Uploads", method="MKCOL",
            headers={"Authorization": "Basic bWU6c2VjcmV0"})
        urllib.request.urlopen(request).close()

    def fault(self, service, kind, **more):
        self.ask("/fault", {"service": service, "kind": kind, **more})


def configure(place, name, parallel, copies, more):
    """Writes a recipe that leads to the copies, with small pieces."""
    origin, path, piece, secret = SERVICES[name]
    with open(os.path.join(RECIPES, f"{name}.toml")) as file:
        text = file.read()
    # The application that presigns has another origin than S3.
    base = f"http://{'localhost' if path == 'presign' else '127.0.0.1'}:{copies.port}"
    text = text.replace(origin, base if path == "presign" else f"{base}/{path}")
    text = text.replace("/s3/inbox/", "/s3/bucket/")
    for key, value in ("above", '"1 MiB"'), ("size", f'"{piece}"'):
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    text = re.sub(r"(?m)^parallel = .*\n", "", text)
    text = re.sub(r"(?m)^\[targets\.[a-z0-9-]+\.pieces\]$", rf"\g<0>\nparallel = {parallel}", text)
    if "retry" in more:
        text = re.sub(r"(?m)^retry = .*\n", "", text)
    target = re.search(r"\[targets\.([a-z0-9-]+)\]", text)
    text = text.replace(target[0], f"{target[0]}\n{more}", 1)
    with open(os.path.join(place.folder("config", "hoist"), "config.toml"), "w") as file:
        file.write(text)
    if secret:
        place.environment[secret[0]] = secret[1]
    place.environment["AWS_ACCESS_KEY_ID"] = "AKIDEXAMPLE"
    tools = place.folder("bin")
    with open(os.path.join(tools, "gcloud"), "w") as file:
        file.write("#!/bin/sh\necho token\n")
    os.chmod(os.path.join(tools, "gcloud"), 0o755)
    place.environment["PATH"] = f"{tools}:{place.environment['PATH']}"
    return path


def content(place, draw, size):
    data = draw.randbytes(size)
    with open(place.file("big.bin"), "wb") as file:
        file.write(data)
    # A file written a moment ago may still be changing, so its upload would start over.
    time.sleep(0.5)
    return hashlib.sha256(data).hexdigest()


def judge(count, name, copies, path, total, digest, most):
    """Whether one whole object is there, and how much went over the wire for it."""
    state = copies.ask("/state")
    objects = [thing for thing in state["objects"] if thing["service"] == path]
    if len(objects) != 1:
        count.fail(name, f"{len(objects)} objects")
    elif objects[0]["sha256"] != digest:
        count.fail(name, "another content")
    wire = state["wire"][path]
    if wire > most:
        count.fail(name, f"{wire / total:.2f} times the file's size on the wire, instead of {most / total:.2f}")
    count.remarks.append(f"{name} {wire / total:.2f}")


def bytes_of(text):
    number, unit = text.split()
    return int(number) * {"MiB": 1 << 20, "MB": 1_000_000}[unit]


def killed(hoist, seed, copies, total, kills):
    count = Count("senders killed between and in pieces", "one whole object, little sent twice; on the wire", len(CASES))
    for name, parallel in CASES:
        draw = source(seed, f"pieces kills {title(name, parallel)}")
        copies.reset()
        with Place(hoist, "pieces") as place:
            path = configure(place, name, parallel, copies, f'rate_limit = "{total // 1_000_000} MB/s"')
            digest = content(place, draw, total)
            place.run("add", "big.bin")
            made = 0
            while made < kills:
                child = place.start("send")
                time.sleep(draw.uniform(0.05, 0.5))
                if child.poll() is not None:
                    break
                child.send_signal(signal.SIGKILL)
                child.wait()
                made += 1
            status, output, errors = place.run("send")
            piece = bytes_of(SERVICES[name][2])
            left = place.lines("queue", "list")
            is_unknown = any("outcome-unknown" in json.dumps(line) for line in left)
            # Only its state tells whether such a server got the last piece.
            is_missing = not any(thing["service"] == path for thing in copies.ask("/state")["objects"])
            if not (is_unknown and is_missing and name in COUNTING):
                judge(count, title(name, parallel), copies, path, total, digest, 1.1 * total + (made + 1) * parallel * piece)
            if status != 0 and not is_unknown:
                count.fail(title(name, parallel), f"status {status} after {made} kills: {errors or output or left}")
    return count


def cut(hoist, seed, copies, total, cuts):
    count = Count("pieces cut off", "one whole object, little sent twice; on the wire", len(CASES))
    for name, parallel in CASES:
        draw = source(seed, f"pieces cuts {title(name, parallel)}")
        copies.reset()
        with Place(hoist, "pieces") as place:
            path = configure(place, name, parallel, copies, FAST_RETRY)
            digest = content(place, draw, total)
            piece = bytes_of(SERVICES[name][2])
            for index in range(cuts):
                # Some in the middle of a piece, some after it was taken. A piece is cut but twice in a row.
                copies.fault(path, "cut", after=draw.randrange(1, piece // 2), of="piece")
            status, output, errors = place.run("push", "big.bin")
            judge(count, title(name, parallel), copies, path, total, digest, 1.1 * total + (cuts + 1) * parallel * piece)
            if status != 0:
                count.fail(title(name, parallel), f"status {status}: {errors or output}")
    return count


def unanswered(hoist, seed, copies, total):
    count = Count("replies to pieces lost", "one whole object; on the wire", len(CASES))
    for name, parallel in CASES:
        draw = source(seed, f"pieces replies {title(name, parallel)}")
        copies.reset()
        with Place(hoist, "pieces") as place:
            path = configure(place, name, parallel, copies, FAST_RETRY)
            digest = content(place, draw, total)
            copies.fault(path, "drop-reply", of="piece", times=2)
            copies.fault(path, "drop-reply", of="begin")
            status, output, errors = place.run("push", "big.bin")
            judge(count, title(name, parallel), copies, path, total, digest, 1.1 * total + 3 * bytes_of(SERVICES[name][2]))
            if status != 0:
                count.fail(title(name, parallel), f"status {status}: {errors or output}")
    return count


def run(hoist, seed, quick):
    total = 24_000_000 if quick else 64 << 20
    with Copies() as copies:
        yield killed(hoist, seed, copies, total, 2 if quick else 20)
        yield cut(hoist, seed, copies, total, 2 if quick else 20)
        yield unanswered(hoist, seed, copies, total)
