"""Trees onto WebDAV servers, while hoist is killed and connections are cut: the same tree, and no folder is made twice."""

import contextlib
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import sys
import time

from common import Count, Place, source, wait_until
from resuming import CuttingProxy

TREE = pathlib.Path(__file__).parents[1] / "EndToEndTests" / "Peers" / "tree.py"
LANES = 8

NGINX = """{user} daemon off; master_process off; pid nginx.pid; error_log stderr;
events {{}}
http {{
  log_format plain '$request_method $status $request_uri';
  access_log dav.log plain;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  client_max_body_size 0;
  server {{ listen 127.0.0.1:{port}; {server} }}
}}
"""

APACHE = """ServerName localhost
Listen 127.0.0.1:{port}
PidFile {run}/apache.pid
DefaultRuntimeDir {run}
ErrorLog {run}/apache.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule dav_module /usr/lib/apache2/modules/mod_dav.so
LoadModule dav_fs_module /usr/lib/apache2/modules/mod_dav_fs.so
{user}
LogFormat "%m %>s %U" plain
CustomLog {log} plain
DavLockDB {run}/lock
DocumentRoot {root}
<Directory {root}>
Require all granted
Dav On
</Directory>
"""


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class WebDAV:
    """A server whose root is the folder `dav` of a place. Its log has the method, status and path of each request."""

    def __init__(self, place, kind):
        self.place, self.root, self.log = place, place.folder("dav"), place.file("dav.log")
        self.children, self.port = [], free_port()
        if kind == "rclone":
            port = free_port()
            self.start(port, "rclone", "serve", "webdav", self.root, "--addr", f"127.0.0.1:{port}", "--config", "")
            # It writes no log of requests, so nginx does.
            self.nginx(f"location / {{ proxy_pass http://127.0.0.1:{port}; }}")
        elif kind == "nginx":
            self.nginx(f"root {self.root}; dav_methods PUT DELETE MKCOL COPY MOVE;")
        else:
            self.apache()

    def nginx(self, server):
        with open(self.place.file("nginx.conf"), "w") as file:
            file.write(NGINX.format(user="user root;" if os.getuid() == 0 else "", port=self.port, server=server))
        self.start(self.port, "nginx", "-p", self.place.path, "-c", "nginx.conf", "-e", "stderr")

    def apache(self):
        run, user = self.place.folder("apache"), ""
        if os.getuid() == 0:
            # Apache refuses to serve as root. Another user must be able to reach the folder.
            user = "User nobody"
            os.chmod(self.place.path, 0o711)
            for folder in (self.root, run):
                os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
        with open(self.place.file("apache.conf"), "w") as file:
            file.write(APACHE.format(port=self.port, run=run, user=user, log=self.log, root=self.root))
        self.start(self.port, "apache2", "-X", "-f", self.place.file("apache.conf"))

    def start(self, port, *command):
        environment = dict(self.place.environment)
        environment["PATH"] += ":/usr/sbin"
        self.children.append(subprocess.Popen(
            command, cwd=self.place.path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

        def listens():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return True

        if not wait_until(listens, 20):
            raise RuntimeError(f"{command[0]} does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.send_signal(signal.SIGTERM)
        for child in self.children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10)
            child.kill()
            child.wait()

    def requests(self):
        with contextlib.suppress(FileNotFoundError), open(self.log) as file:
            return [line.split(" ", 2) for line in file.read().splitlines()]
        return []

    def difference(self):
        done = subprocess.run(["diff", "-rq", self.place.file("tree"), self.root], capture_output=True)
        return done.stdout.decode(errors="replace").splitlines() or ([] if done.returncode == 0 else ["diff failed"])


def attack(hoist, kind, how, folders, files, times, random):
    """Sends a tree to one server, and kills the sender or cuts its connections this often."""
    count = Count(f"folders, {kind}, {how}", "the same tree, and no folder made twice", 1)
    with Place(hoist, "folders") as place, WebDAV(place, kind) as server:
        subprocess.run([sys.executable, str(TREE), str(folders), str(files)], cwd=place.path, check=True)
        # The folder of the place, "tree", is not sent itself.
        size = sum(path.stat().st_size for path in pathlib.Path(place.file("tree")).rglob("*") if path.is_file())
        port, proxy = server.port, None
        if how == "cuts":
            # Heads of requests are several times as large as small files.
            proxy = CuttingProxy(server.port, [random.uniform(0.02, 0.98) * (size + 200 * files)
                                               for _ in range(times)], random)
            port = int(proxy.url.rsplit(":", 1)[1])
        with open(os.path.join(place.folder("config", "hoist"), "config.toml"), "w") as file:
            file.write(f"""default_target = "dav"
[targets.dav]
url = "http://127.0.0.1:{port}/{{file.path}}"
method = "PUT"
body = "binary"
folders = "webdav"
concurrency = {LANES}
retry = {{ attempts = 9, base = "10ms", max = "100ms" }}
""")
        began = time.monotonic()
        status, _, errors = place.run("add", "-r", "tree")
        if status != 0:
            count.fail(kind, errors)
        kills = 0
        while True:
            child = place.start("send")
            if how == "kills" and kills < times:
                before = len(server.requests())
                # Each goes on for a while, so that the last ones have something to do, too.
                wait_until(lambda: len(server.requests()) >= before + random.randint(1, 2 * files // times)
                           or child.poll() is not None, 60)
                child.kill()
                child.wait()
                kills += 1
                continue
            child.wait(600)
            break
        if child.returncode != 0:
            count.fail(kind, f"the sender ended with {child.returncode}")
        took = time.monotonic() - began
        if proxy:
            proxy.close()
        if difference := server.difference():
            count.fail(kind, "; ".join(difference[:5]))
        requests = server.requests()
        # rclone logs a folder that it has made for a client that is gone by then as 499.
        news = {"201", "499"} if kind == "rclone" else {"201"}
        made = [path for method, status, path in requests if method == "MKCOL" and status in news]
        # rclone says 201 of a folder that is there, too, and each new process asks for it.
        if kind == "rclone" and how == "kills":
            made = set(made)
        if len(made) != len(set(made)) or len(made) != folders - 1:
            count.fail(kind, f"{len(made)} folders made, {len(set(made))} different ones, of {folders - 1}")
        more = len(requests) - (folders - 1) - files
        if how == "nothing" and more > LANES + 1:
            count.fail(kind, f"{more} requests more than files and folders")
        happened = {"kills": f"{kills} kills, ", "cuts": f"{proxy.made if proxy else 0} cuts, "}.get(how, "")
        count.remarks = [f"{folders - 1} folders, {files} files, {happened}{more} requests more, {took:.1f} s"]
    return count


def run(hoist, seed, quick):
    folders, files, times = (30, 200, 3) if quick else (300, 2000, 20)
    random = source(seed, "folders")
    for kind in ("rclone", "apache", "nginx"):
        for how in ("nothing", "kills", "cuts"):
            yield attack(hoist, kind, how, folders, files, times, random)
