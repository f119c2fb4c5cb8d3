#!/usr/bin/env python3
"""`hoist receive` beside other servers that take uploads, one after the other, all with curl as the client.

  hoist        parses the form, computes a SHA-256 and stores the file; once with its defaults, once with --no-sync
  nginx        stores the body of a PUT as it is (ngx_http_dav_module)
  Caddy        stores nothing: it hands each request to a sink that throws it away
  uploadserver parses the form and stores the file (Python)

The work: one (1 GiB), small (5,000 x 10 KiB, 4 at once), many (5,000 x 10 KiB, 200 at once). Prints throughput, CPU
time and peak memory of the server, medians of the runs; what a server stored is compared with what was sent.
usage: run.py HOIST [--runs N] [--only one|small|many]
"""
import argparse, filecmp, os, shutil, socket, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
GIB = 1 << 30
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server that runs for one measurement, in a folder of its own."""

    def __init__(self, name, folder, command, port, path, field=None, stores=None):
        self.port, self.path, self.field, self.stores = port, path, field, stores
        self.log = open(os.path.join(folder, "log"), "w")
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=self.log)
        for _ in range(1000):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.01)
        self.end()
        sys.exit(f"{name} does not answer:\n{open(self.log.name).read()[-2000:]}")

    def usage(self):
        """CPU seconds so far, and peak bytes."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{self.process.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / TICKS, peak * 1024

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def servers(hoist, peers, sink_port):
    """The name of each server, with what starts it in a folder."""

    def start_hoist(*more):
        def start(folder):
            port = free_port()
            command = [hoist, "receive", "--port", str(port), "--dir", "inbox", *more]
            return Server("hoist", folder, command, port, "/upload", "file", os.path.join(folder, "inbox"))
        return start

    def start_nginx(folder):
        port = free_port()
        os.makedirs(os.path.join(folder, "inbox"))
        # nginx started by root would become another user, who cannot write here.
        user = "user root;" if os.getuid() == 0 else ""
        with open(os.path.join(folder, "nginx.conf"), "w") as out:
            out.write(f"""{user} daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 1024; }}
http {{ access_log off; client_max_body_size 0; keepalive_requests 1000000; client_body_temp_path {folder}/temp;
  server {{ listen 127.0.0.1:{port}; location / {{ root {folder}/inbox; dav_methods PUT; }} }} }}
""")
        command = ["nginx", "-p", folder, "-c", f"{folder}/nginx.conf", "-e", f"{folder}/errors"]
        return Server("nginx", folder, command, port, "/", stores=os.path.join(folder, "inbox"))

    def start_caddy(folder):
        port = free_port()
        with open(os.path.join(folder, "Caddyfile"), "w") as out:
            out.write(f"{{\n  admin off\n  auto_https off\n}}\n"
                      f"http://127.0.0.1:{port} {{\n  reverse_proxy 127.0.0.1:{sink_port}\n}}\n")
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]
        return Server("Caddy", folder, command, port, "/")

    def start_uploadserver(folder):
        port = free_port()
        os.makedirs(os.path.join(folder, "inbox"))
        command = [os.path.join(peers, "bin", "python"), "-m", "uploadserver", str(port), "--bind", "127.0.0.1",
                   "--directory", os.path.join(folder, "inbox")]
        return Server("uploadserver", folder, command, port, "/upload", "files", os.path.join(folder, "inbox"))

    return [("hoist", start_hoist()), ("hoist --no-sync", start_hoist("--no-sync")), ("nginx", start_nginx),
            ("Caddy", start_caddy), ("uploadserver", start_uploadserver)]


def send(server, files, lanes, folder):
    """Sends the files with curl; returns the seconds that it took, None if one failed."""
    listing = os.path.join(folder, "curl.conf")
    with open(listing, "w") as out:
        for file in files:
            name = os.path.basename(file)
            to = f"http://127.0.0.1:{server.port}{server.path}"
            if server.field:
                what = f'form = "{server.field}=@{file}"\nurl = "{to}"'
            else:
                what = f'upload-file = "{file}"\nurl = "{to}{name}"'
            out.write(f'next\n{what}\noutput = "/dev/null"\nfail\nsilent\nshow-error\n')
    many = ["--parallel", "--parallel-max", str(lanes), "--parallel-immediate"] if lanes > 1 else []
    start = time.perf_counter()
    outcome = subprocess.run(["curl", "-sS", *many, "--config", listing], stderr=subprocess.PIPE, text=True)
    wall = time.perf_counter() - start
    return wall if outcome.returncode == 0 else None


def check(server, files):
    """Compares what is stored with what was sent."""
    if server.stores:
        for file in files:
            stored = os.path.join(server.stores, os.path.basename(file))
            if not filecmp.cmp(file, stored, shallow=False):
                sys.exit(f"{stored} is not what was sent")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist", help="the release binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["one", "small", "many"])
    options = parser.parse_args()
    hoist = os.path.abspath(options.hoist)
    peers = os.path.abspath(os.path.join(HERE, "../../.build/peers"))
    folder = tempfile.mkdtemp(prefix="hoist-bench-")
    sink = os.path.join(folder, "sink")
    subprocess.run(["cc", "-O2", "-pthread", "-o", sink, f"{HERE}/../upload/sink.c"], check=True)
    drain = subprocess.Popen([sink], stdout=subprocess.PIPE, text=True)
    sink_port = int(drain.stdout.readline())

    def make(name, size):
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            for place in range(0, size, 1 << 24):
                out.write(os.urandom(min(size - place, 1 << 24)))
        return path

    try:
        small = [make(f"small{n}.bin", 10240) for n in range(5000)]
        for name, title, files, lanes in [
            ("one", "1 GiB in one file", [make("one.bin", GIB)], 1),
            ("small", "5,000 x 10 KiB, 4 at once", small, 4),
            ("many", "5,000 x 10 KiB, 200 at once", small, 200),
        ]:
            if options.only not in (None, name):
                continue
            volume = sum(map(os.path.getsize, files))
            results = {}
            for run in range(options.runs):
                # In turn, so that a slow spell of the machine affects all of them.
                for peer, start in servers(hoist, peers, sink_port):
                    inside = tempfile.mkdtemp(dir=folder)
                    server = start(inside)
                    try:
                        before, _ = server.usage()
                        wall = send(server, files, lanes, folder)
                        cpu, peak = server.usage()
                        if run == 0 and wall:
                            check(server, files)
                    finally:
                        server.end()
                    # Small files stay until the end: ext4 creates files slowly after others have been deleted.
                    if len(files) == 1:
                        shutil.rmtree(inside)
                    os.sync()
                    results.setdefault(peer, []).append((wall, cpu - before, peak))
            print(title)
            for peer, rows in results.items():
                if any(wall is None for wall, _, _ in rows):
                    print(f"  {peer:16} some uploads failed")
                    continue
                wall, cpu, peak = (statistics.median(row[n] for row in rows) for n in range(3))
                rate = f"{volume / wall / 1e6:6.0f} MB/s" if name == "one" else f"{len(files) / wall:6.0f} files/s"
                print(f"  {peer:16} {rate}   CPU {cpu:6.2f} s   peak memory {peak / 1e6:5.0f} MB", flush=True)
    finally:
        drain.kill()
        shutil.rmtree(folder)


main()
