#!/usr/bin/env python3
"""How true progress is: what hoist reports beside what the server has read, at every tenth of a second.

On a link of 8 Mbit/s between two network namespaces, with a token bucket at the sender's end and room for what it holds back: a file of 3 MB
and one of 30 MB, one at a time and four at once, over HTTP and over HTTPS. Prints the largest difference, in
percent of the file's size, and how late "sent" (the server has all of it) was told.

usage: truth.py HOIST [--quick]     needs root, ip, tc and openssl
"""
import argparse, bisect, json, os, shutil, socket, ssl, subprocess, sys, tempfile, threading, time

RATE = "8mbit"
SERVER, SENDER = "10.99.0.1", "10.99.0.2"  # in namespaces of their own, which end with this program


class Server:
    """Reads uploads and notes when it has read how many bytes of each file."""

    def __init__(self, certificate=None):
        self.read = {}  # file name -> [(time, bytes)]
        self.listener = socket.create_server((SERVER, 0), backlog=16)
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        if self.context:
            connection = self.context.wrap_socket(connection, server_side=True)
        kept = b""
        while True:
            while b"\r\n\r\n" not in kept:
                piece = connection.recv(65536)
                if not piece:
                    return
                kept += piece
            head, kept = kept.split(b"\r\n\r\n", 1)
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            left = int(fields[b"content-length"])
            if b"expect" in fields:
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            log, beginning, count = [], b"", 0
            while count < left:
                piece = kept or connection.recv(65536)
                kept = b""
                if not piece:
                    return
                count += len(piece)
                log.append((time.monotonic(), count))
                if len(beginning) < 4096:
                    beginning += piece
            name = beginning.split(b'filename="', 1)[1].split(b'"', 1)[0].decode()
            self.read[name] = log
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def upload(inside, hoist, files, options):
    """Runs hoist; returns what it reported of each file, with the times at which its lines came."""
    command = [*inside, hoist, "push", "--json", "--concurrency", str(len(files)), *options, *files]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reported, sent = {}, {}
    for line in process.stdout:
        now, event = time.monotonic(), json.loads(line)
        name = os.path.basename(event.get("path", ""))
        if event["event"] in ("started", "progress"):
            reported.setdefault(name, []).append((now, event.get("bytes_sent", 0)))
        elif event["event"] == "sent":
            reported.setdefault(name, []).append((now, event["bytes_total"]))
            sent[name] = now
    if process.wait():
        sys.exit(process.stderr.read().decode())
    return reported, sent


def at(log, moment):
    index = bisect.bisect_right(log, (moment, float("inf")))
    return log[index - 1][1] if index else 0


def judge(title, files, server, reported, sent):
    worst, late = 0.0, 0.0
    for file in files:
        name, size = os.path.basename(file), os.path.getsize(file)
        read = server.read[name]
        moment = read[0][0]
        while moment < read[-1][0] + 0.2:
            worst = max(worst, abs(at(reported[name], moment) - at(read, moment)) / size)
            moment += 0.1
        # Where the reply comes first there is nothing to be told any more.
        if name in sent:
            late = max(late, abs(sent[name] - read[-1][0]))
    print(f"  {title:34} at most {worst * 100:4.1f} % apart   \"sent\" {late * 1000:4.0f} ms from the last read", flush=True)
    return worst <= 0.03 and late <= 0.2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("--quick", action="store_true", help="the file of 3 MB only")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        # A network of its own, which ends with the last process in it.
        os.execvp("unshare", ["unshare", "-n", sys.executable, __file__, *sys.argv[1:], "--inside"])
    run = lambda *words: subprocess.run(words, check=True)
    sender = subprocess.Popen(["unshare", "-n", "sleep", "3600"])
    inside = ["nsenter", "-n", "-t", str(sender.pid)]
    while os.readlink(f"/proc/{sender.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
        time.sleep(0.01)
    run("ip", "link", "add", "left", "type", "veth", "peer", "name", "right", "netns", str(sender.pid))
    run("ip", "address", "add", f"{SERVER}/24", "dev", "left")
    run("ip", "link", "set", "left", "up")
    run(*inside, "ip", "address", "add", f"{SENDER}/24", "dev", "right")
    run(*inside, "ip", "link", "set", "right", "up")
    run(*inside, "tc", "qdisc", "add", "dev", "right", "root", "tbf", "rate", RATE, "burst", "16kb", "limit", "16mb")
    folder = tempfile.mkdtemp(prefix="hoist-truth-")
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
    try:
        key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=server",
             "-addext", f"subjectAltName=IP:{SERVER}", "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL)
        print(f"progress beside the server's own count, {RATE}/s")
        true = True
        for scheme in ("http", "https"):
            for megabytes in (3,) if options.quick else (3, 30):
                for count in (1, 4):
                    server = Server((certificate, key) if scheme == "https" else None)
                    config = os.path.join(folder, "config.toml")
                    with open(config, "w") as out:
                        out.write(f'[targets.t]\nurl = "{scheme}://{SERVER}:{server.port}/upload"\n')
                        if scheme == "https":
                            out.write(f'tls = {{ ca_file = "{certificate}" }}\n')
                    files = []
                    for number in range(count):
                        files.append(os.path.join(folder, f"{number}.bin"))
                        with open(files[-1], "wb") as out:
                            out.write(os.urandom(megabytes * 1_000_000))
                    told = upload(inside, options.hoist, files, ["--config", config, "--to", "t"])
                    title = f"{scheme}, {count} x {megabytes} MB"
                    true = judge(title, files, server, *told) and true
        print("  within 3 % and 0.2 s" if true else "  NOT within 3 % and 0.2 s")
    finally:
        sender.kill()
        shutil.rmtree(folder)


main()
