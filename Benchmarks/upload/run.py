#!/usr/bin/env python3
"""hoist beside curl: the same files, the same sink, the same number at once, in turn.

The work: one (1 GiB), four (4 x 1 GiB), tls (1 GiB through nginx), small (5,000 x 10 KiB), tls-small (the same
through nginx), batch (ten in a request), slow (1,000 x 10 KiB, 20 ms to answer), start (one small file, --version), cancel (one
of four running uploads), there (20,000 x 256 KiB of which 19,900 are there already, beside sha1sum), sparse (10 GiB,
memory only).

Prints throughput, CPU seconds per GiB and peak memory as ratios (median of the pairs): these machines
are noisy, so only figures of one run are comparable. usage: run.py HOIST [--runs N] [--only NAME]
"""
import argparse, hashlib, http.server, json, os, shutil, socket, statistics, subprocess, sys, tempfile, threading, time
from measuring import Sink, curl_command, measure

GIB = 1 << 30


def compare(title, ours, theirs, volume, runs):
    """Alternates the two commands and prints the medians of the pairwise ratios."""
    pairs = []
    measure(ours), measure(theirs)  # warm the page cache and the sink
    for _ in range(runs):
        pairs.append((measure(ours), measure(theirs)))
    median = statistics.median
    speed = median(t[0] / o[0] for o, t in pairs)
    cpu = median(o[1] / t[1] for o, t in pairs)
    ours_wall, theirs_wall = median(o[0] for o, _ in pairs), median(t[0] for _, t in pairs)
    print(f"{title}: {ours_wall * 1000:.1f} ms beside {theirs_wall * 1000:.1f} ms")
    print(f"  throughput  {speed:5.2f} of curl's   ({volume / ours_wall / 1e6:7.0f} MB/s beside {volume / theirs_wall / 1e6:7.0f} MB/s)")
    print(f"  CPU         {cpu:5.2f} of curl's   ({median(o[1] for o, _ in pairs) * GIB / volume:7.2f} s/GiB beside {median(t[1] for _, t in pairs) * GIB / volume:7.2f} s/GiB)")
    print(f"  peak memory {max(o[2] for o, _ in pairs) / 1e6:5.0f} MB           (curl {max(t[2] for _, t in pairs) / 1e6:.0f} MB)", flush=True)


def nginx(folder, sink):
    """nginx with TLS in front of the sink; returns (process, URL, certificate).

    It ends no connection by itself: curl 7.88 sometimes fails where that happens, with an error of HTTP/2's."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, stderr=subprocess.DEVNULL)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w") as out:
        out.write(f"""daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ }}
http {{ access_log off; client_max_body_size 0; keepalive_requests 1000000; {temporary}
  server {{ listen 127.0.0.1:{port} ssl http2; server_name localhost;
    ssl_certificate {certificate}; ssl_certificate_key {key};
    location / {{ proxy_pass {sink}; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_request_buffering off; }} }} }}
""")
    process = subprocess.Popen(["nginx", "-p", folder, "-c", path, "-e", f"{folder}/nginx.log"])
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"https://localhost:{port}/upload", certificate
        except OSError:
            if process.poll() is not None:
                sys.exit(f"nginx ended with {process.returncode}")
            time.sleep(0.01)


class Store(http.server.BaseHTTPRequestHandler):
    """Says which of many files it has, and counts the bytes of the others."""
    protocol_version = "HTTP/1.1"
    known, questions, received, lock = set(), 0, 0, threading.Lock()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = b""
        with Store.lock:
            if self.path == "/has":
                Store.questions += 1
                reply = json.dumps([{"known": sum in Store.known} for sum in json.loads(body)]).encode()
            else:
                Store.received += len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def there(hoist, folder, files, missing, runs):
    """Asks about files of which most are there, beside hashing all of them."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    Store.known = {hashlib.sha1(open(file, "rb").read()).hexdigest() for file in files[missing:]}
    config, listing = os.path.join(folder, "there.toml"), os.path.join(folder, "there.list")
    with open(config, "w") as out:
        out.write(f'[targets.there]\nurl = "{url}/up"\nbody = "binary"\n[targets.there.exists]\nurl = "{url}/has"\n'
                  'method = "POST"\njson = "{files}"\neach = "{file.sha1}"\nmax_files = 200\n'
                  'is_there_when = [{ pointer = "/*/known", is = true }]\n')
    with open(listing, "w") as out:
        out.writelines(f"{file}\n" for file in files)
    ours = [hoist, "push", "--config", config, "--to", "there", "--from-file", listing]
    volume, pairs = sum(map(os.path.getsize, files[:missing])), []
    for _ in range(runs):
        shutil.rmtree(os.environ["XDG_STATE_HOME"], ignore_errors=True)
        Store.received = Store.questions = 0
        cold = measure(ours)
        if Store.received != volume:
            sys.exit(f"{Store.received} bytes were sent, not the {volume} of the files that were missing")
        questions = Store.questions
        pairs.append((cold, measure(ours), measure(["sha1sum", *files])))
    median = statistics.median
    print(f"{len(files):,} files of which {len(files) - missing:,} are there, {questions} questions: "
          f"{median(c[0] for c, _, _ in pairs):.1f} s beside {median(s[0] for _, _, s in pairs):.1f} s")
    print(f"  time        {median(c[0] / s[0] for c, _, s in pairs):5.2f} of sha1sum's; again, with digests that are known, "
          f"{median(a[0] / s[0] for _, a, s in pairs):.2f}")
    print(f"  CPU         {median(c[1] / s[1] for c, _, s in pairs):5.2f} of sha1sum's")
    print(f"  peak memory {max(c[2] for c, _, _ in pairs) / 1e6:5.0f} MB, no content sent of those that are there", flush=True)
    server.shutdown()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist", help="the release binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hoist-bench-")
    # Neither a history that grew through many runs nor the caller's own.
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
    servers = []

    def serve(*options):
        servers.append(Sink(*options))
        return servers[-1].url

    def make(name, size):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            with open(path, "wb") as out:
                out.truncate(size) if size > GIB else None
                left = size if size <= GIB else 0
                while left > 0:
                    left -= out.write(os.urandom(min(left, 1 << 24)))
        return path

    def configured(name, url, rest):
        """hoist's options for a target of a configuration."""
        path = os.path.join(folder, f"{name}.toml")
        with open(path, "w") as out:
            out.write(f'[targets.{name}]\nurl = "{url}"\n{rest}\n')
        return ["--config", path, "--to", name]

    def pair(title, files, url, lanes, volume, target=None, batch=1, lines=()):
        curl = curl_command(os.path.join(folder, "curl.conf"), files, url, lanes, batch, lines)
        ours = [options.hoist, "push", *(target or ["--to", url]), "--concurrency", str(lanes), *files]
        compare(title, ours, curl, volume, options.runs)
        return curl

    wanted = lambda name: options.only in (None, name)
    try:
        url = serve()
        if wanted("one"):
            pair("1 GiB in one file", [make("one", GIB)], url, 1, GIB)
        if wanted("four"):
            files = [make("one", GIB)] + [make(f"gib{n}", GIB) for n in range(3)]
            pair("4 x 1 GiB, 4 at once", files, url, 4, 4 * GIB)
        if wanted("tls") or wanted("tls-small"):
            server, secure, certificate = nginx(folder, url)
            servers.append(server)
            target = configured("tls", secure, f'tls = {{ ca_file = "{certificate}" }}')
            trust = f'cacert = "{certificate}"'
        versions = ("http1.1", "http2")
        if wanted("tls"):
            file = make("one", GIB)

            def seconds(version):
                curl = curl_command(os.path.join(folder, "curl.conf"), [file], secure, 1, lines=[trust, version])
                return min(measure(curl)[0] for _ in range(2))

            quickest = min(versions, key=seconds)
            pair(f"1 GiB over TLS through nginx, curl with {quickest}", [file], secure, 1, GIB, target, lines=[trust, quickest])
        if wanted("tls-small"):
            files = [make(f"small{n}.bin", 10240) for n in range(5000)]
            for version in versions:
                pair(f"5,000 x 10 KiB over TLS through nginx, 4 at once, curl with {version}", files, secure, 4,
                     5000 * 10240, target, lines=[trust, version])
        if wanted("small"):
            files = [make(f"small{n}.bin", 10240) for n in range(5000)]
            curl = pair("5,000 x 10 KiB, 4 at once, one request each", files, url, 4, 5000 * 10240)
            bare = [os.path.join(os.path.dirname(options.hoist), "transport-bench"), "small", url, "4", *files]
            compare("the same through the transport alone", bare, curl, 5000 * 10240, options.runs)
        if wanted("batch"):
            files = [make(f"small{n}.bin", 10240) for n in range(5000)]
            target = configured("batch", url, "batch = { max_files = 10 }")
            pair("5,000 x 10 KiB, 4 at once, ten in a request; curl one in each", files, url, 4, 5000 * 10240, target)
            pair("5,000 x 10 KiB, 4 at once, ten in a request; curl as well", files, url, 4, 5000 * 10240, target, batch=10)
        if wanted("slow"):
            files = [make(f"small{n}.bin", 10240) for n in range(1000)]
            pair("1,000 x 10 KiB, 16 at once, 20 ms to answer", files, serve("20"), 16, 1000 * 10240)
        if wanted("start"):
            pair("one file of 10 KiB from start to end", [make("small0.bin", 10240)], url, 1, 10240)
            compare("--version", [options.hoist, "--version"], ["curl", "--version"], 1, options.runs)
        if wanted("cancel"):
            subprocess.run([os.path.join(os.path.dirname(options.hoist), "transport-bench"), "cancel"], check=True)
        if wanted("there"):
            files = [make(f"there{n}.bin", 256 << 10) for n in range(20_000)]
            there(options.hoist, folder, files, 100, options.runs)
        if wanted("sparse"):
            wall, cpu, peak = measure([options.hoist, "push", "--to", url, make("sparse", 10 * GIB)])
            print(f"10 GiB sparse file\n  peak memory {peak / 1e6:5.0f} MB, {10 * GIB / wall / 1e6:.0f} MB/s, {cpu / 10:.2f} CPU s/GiB")
    finally:
        for server in servers:
            server.kill()
        shutil.rmtree(folder)


main()
