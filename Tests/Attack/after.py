"""hoist deletes or moves files that were sent, while other programs change them, and is killed at random moments and at
each of its system calls. No file is gone unless the server has exactly what it contained."""

import concurrent.futures
import hashlib
import mmap
import os
import shutil
import subprocess
import tempfile
import threading
import time

from common import Count, Place, Server, source, wait_until, write


def run(hoist, seed, quick):
    return [*killed(hoist, seed, quick), *changed(hoist, seed, quick), *stepped(hoist, seed, quick)]


def killed(hoist, seed, quick):
    kills = 10 if quick else 100
    random = source(seed, "after")
    count = Count("after", "no file is gone that the server does not have", kills)
    lost = set()

    def damage(content):
        """Some files are stored otherwise than they were sent, and some replies say nothing."""
        return {1: "0" * 64, 2: None}.get(content[0] % 8, hashlib.sha256(content).hexdigest())

    with Place(hoist, "after") as place, Server(
            delay=lambda: random.choice([0, 0, 0.02, 0.1]), answer=damage) as server:
        with open(os.path.join(place.folder("config", "hoist"), "config.toml"), "w") as file:
            file.write("\n".join([
                "[targets.gone]", f'url = "{server.url}"', 'after = "delete"',
                'response.verify = { header = "x-sum", sum = "sha256" }',
                "[targets.moved]", f'url = "{server.url}"', 'after = { move = "sent/" }',
                'response.verify = { header = "x-sum", sum = "sha256" }', ""]))
        queue = place.file("queue.sqlite")
        folder, sums, changed = place.folder("files"), {}, {}

        def add():
            for target in ["gone", "moved"]:
                names = []
                for _ in range(20):
                    name = f"file-{len(sums)}.bin"
                    content = random.randbytes(random.randint(1, 100_000))
                    write(os.path.join(folder, name), content)
                    sums[name] = content
                    names.append(os.path.join("files", name))
                status, _, errors = place.run("add", "--to", target, "--queue", queue, *names)
                if status != 0:
                    raise RuntimeError(f"hoist add: {errors}")
            # Some are edited before or after they are sent.
            for name in random.sample(sorted(sums), 4):
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    changed[name] = random.randbytes(50)
                    write(path, changed[name])

        def check(which):
            has = {visit.name: visit for visit in server.arrived()}
            stored = {(visit.name, visit.content) for visit in server.arrived() if visit.content[0] % 8 not in (1, 2)}
            for name, content in sums.items():
                if os.path.exists(os.path.join(folder, name)):
                    continue
                kept = changed.get(name, content)
                if (name, kept) not in stored and name not in lost:
                    lost.add(name)
                    count.fail(which, f"{name} is gone, and the server has {'another' if name in has else 'nothing'}")
                moved = os.path.join(folder, "sent", name)
                if os.path.exists(moved):
                    with open(moved, "rb") as file:
                        if file.read() != kept:
                            count.fail(which, f"{name} was moved with another content")

        for kill in range(1, kills + 1):
            if len(sums) - len({visit.name for visit in server.arrived()}) < 15:
                add()
            before = len(server.arrived())
            child = place.start("send", "--queue", queue)
            wait_until(lambda: len(server.arrived()) > before or child.poll() is not None, 20)
            time.sleep(random.uniform(0, 0.2))
            child.kill()
            child.wait()
            check(kill)
        place.run("send", "--queue", queue)
        check("end")
        gone = sum(not os.path.exists(os.path.join(folder, name)) for name in sums)
        stored = {visit.name for visit in server.arrived() if visit.content[0] % 8 not in (1, 2)}
        left = [name for name in stored
                if name not in changed and os.path.exists(os.path.join(folder, name))]
        trash = os.path.join(place.path, ".local", "share", "Trash", "files")
        count.remarks = [f"{len(sums)} files", f"{gone} of them gone, {len(os.listdir(trash))} into the trash",
                         f"{len(left)} left although the server has them"]
        if gone < len(sums) // 3:
            count.fail("attack", "most files are still there: this run shows nothing")
    return [count]


class Changer:
    """Another program that works on a file while hoist sends it. `content` is what the file contained last."""

    def __init__(self, kind, path, content, moment):
        self.kind, self.path, self.content, self.moment = kind, path, content, moment
        self.is_due = True
        self.lock = threading.Lock()
        self.later = None
        self.mapping = self.writer = None
        if kind.startswith("mapped"):
            with open(path, "r+b") as file:
                self.mapping = mmap.mmap(file.fileno(), len(content))
            if kind == "mapped, dirty":
                # From now on, stores change no times.
                self.mapping[0:1] = content[0:1]
        if kind == "open":
            self.writer = open(path, "r+b", buffering=0)

    def meet(self):
        """Called before the server answers."""
        with self.lock:
            if not self.is_due:
                return
            self.is_due = False
        if self.moment is None:
            self.change()
        else:
            self.later = threading.Timer(self.moment, self.change)
            self.later.start()

    def end(self):
        if self.later is not None:
            self.later.join()
        if self.mapping is not None:
            self.mapping.close()
        if self.writer is not None:
            self.writer.close()

    def change(self):
        new = bytes(255 - byte for byte in self.content)
        if self.kind.startswith("mapped"):
            # The file was mapped all the while, so it must still be there.
            self.mapping[:] = new
            self.content = new
            self.mapping.close()
        elif self.kind == "open":
            self.writer.write(new)
            self.content = new
            self.writer.close()
        elif self.kind in ("times set back", "link"):
            path = self.path
            try:
                if self.kind == "link":
                    path = self.path + ".link"
                    os.link(self.path, path)
                before = os.stat(path)
                with open(path, "r+b", buffering=0) as file:
                    # What was deleted or moved while it was being opened went as it was.
                    is_there = os.path.exists(self.path) and os.path.samefile(self.path, file.fileno())
                    if is_there:
                        file.write(new)
                        os.utime(file.fileno(), ns=(before.st_atime_ns, before.st_mtime_ns))
                        self.content = new
            except FileNotFoundError:
                pass
            finally:
                if self.kind == "link" and os.path.exists(path):
                    os.unlink(path)
        elif self.kind == "replaced":
            # As rsync does it.
            write(self.path + ".new", new)
            try:
                shutil.copystat(self.path, self.path + ".new")
            except FileNotFoundError:
                pass
            os.replace(self.path + ".new", self.path)
            self.content = new
        elif self.kind == "renamed":
            try:
                os.rename(self.path, self.path + ".away")
            except FileNotFoundError:
                pass


KINDS = ["none", "mapped, clean", "mapped, dirty", "open", "times set back", "link", "replaced", "renamed"]
TARGETS = ["verified", "final", "there", "moved"]


def changed(hoist, seed, quick):
    """Other programs change files before the reply, and while hoist deletes or moves them."""
    rounds, files = (6 if quick else 60), 12
    random = source(seed, "after, changed")
    count = Count("after, changed", "no file is gone whose content the server does not have", rounds * files)
    totals = {"gone": 0, "unchanged": 0, "unchanged and gone": 0}
    lock = threading.Lock()

    def attempt(number, seed):
        random = source(seed, "round")
        stored, names = set(), {}

        def during(name, received, total):
            if received == total and name in names:
                names[name].meet()

        def answer(content):
            stored.add(content)
            return hashlib.sha256(content).hexdigest()

        def known(path):
            content, name = sums.get(path.rsplit("/", 1)[1], (None, None))
            if name:
                names[name].meet()
            return content in stored

        sums = {}
        in_memory = number % 2 == 1 and os.path.isdir("/dev/shm")
        folder = tempfile.mkdtemp(prefix="hoist-test-attack-after-", dir="/dev/shm" if in_memory else None)
        with Place(hoist, "changed") as place, Server(during=during, answer=answer, known=known) as server:
            if number % 4 == 0 and os.path.isdir("/dev/shm"):
                # No trash, so that files on the disk are deleted.
                place.environment["XDG_DATA_HOME"] = "/proc/nowhere"
            with open(os.path.join(place.folder("config", "hoist"), "config.toml"), "w") as file:
                verify = 'response.verify = { header = "x-sum", sum = "sha256" }'
                exists = f'exists.url = "{server.url}/{{file.sha256}}"'
                file.write("\n".join([
                    "[targets.verified]", f'url = "{server.url}"', 'after = "delete"', verify,
                    "[targets.final]", f'url = "{server.url}"', "after = { delete = true, final = [200] }",
                    "[targets.there]", f'url = "{server.url}"', 'after = "delete"', exists,
                    "[targets.moved]", f'url = "{server.url}"', 'after = { move = "sent/" }', verify, ""]))
            target = random.choice(TARGETS)
            for index in range(files):
                name = f"file-{index}.bin"
                content = random.randbytes(random.choice([1, 4096, 100_000, 9 << 20]) if index else 4096)
                write(os.path.join(folder, name), content)
                sums[hashlib.sha256(content).hexdigest()] = (content, name)
                if target == "there":
                    stored.add(content)
                names[name] = (random.choice(KINDS), content, random.choice([None, None, random.uniform(0, 0.05)]))
            # Files of the disk that are not new are not doubtful.
            time.sleep(random.choice([0, 0.3]))
            for name, (kind, content, moment) in list(names.items()):
                names[name] = Changer(kind, os.path.join(folder, name), content, moment)
            paths = [os.path.join(folder, name) for name in names]
            way = random.choice(["push", "send", "two"])
            if way == "send":
                place.run("add", "--to", target, *paths)
                place.run("send")
            else:
                children = [place.start("push", "--to", target, *paths) for _ in range(2 if way == "two" else 1)]
                for child in children:
                    child.wait()
            for changer in names.values():
                changer.end()
            left = set()
            for path, _, found in os.walk(folder):
                if not path.endswith("/sent"):
                    for name in found:
                        with open(os.path.join(path, name), "rb") as file:
                            left.add(file.read())
            with lock:
                for name, changer in names.items():
                    gone = changer.content not in left
                    totals["gone"] += gone
                    totals["unchanged"] += changer.kind == "none"
                    totals["unchanged and gone"] += changer.kind == "none" and gone
                    if gone and changer.content not in stored:
                        count.fail((number, name), f"{name} is gone ({changer.kind}, {target}, {way}, "
                                   f"{'memory' if in_memory else 'disk'}, {changer.moment})")
        shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(attempt, range(rounds), [random.random() for _ in range(rounds)]))
    count.remarks = [f"{number} {what}" for what, number in totals.items()]
    if totals["unchanged and gone"] < totals["unchanged"]:
        count.fail("attack", "a file that nobody changed is still there: this run shows too little")
    return [count]


# System calls of a disposal that name no file.
OTHER_CALLS = ["renameat2", "unlink", "pipe2", "clone", "clone3", "kill", "wait4", "fcntl", "pread64", "rename"]


def stepped(hoist, seed, quick):
    """hoist is killed at each system call by which it touches a file, again and again, until the file is done."""
    count = Count("after, stepped", "no file is lost, and in the end all are gone", 0)
    if not shutil.which("strace"):
        count.remarks = ["there is no strace here"]
        return [count]
    random = source(seed, "after, stepped")
    files = 24 if quick else 240
    count.total = files
    totals = {"kills": 0, "of them when the server had the file": 0}
    lock = threading.Lock()

    def attempt(number, seed):
        random = source(seed, "file")
        stored = set()

        def answer(content):
            stored.add(content)
            return hashlib.sha256(content).hexdigest()

        in_memory = number % 2 == 1 and os.path.isdir("/dev/shm")
        folder = tempfile.mkdtemp(prefix="hoist-test-attack-after-", dir="/dev/shm" if in_memory else None)
        path = os.path.join(folder, "a.bin")
        with Place(hoist, "stepped") as place, Server(answer=answer) as server:
            if number % 4 < 2:
                place.environment["XDG_DATA_HOME"] = "/proc/nowhere"
            with open(os.path.join(place.folder("config", "hoist"), "config.toml"), "w") as file:
                verify = 'response.verify = { header = "x-sum", sum = "sha256" }'
                after = 'after = { move = "sent/" }' if number % 5 == 0 else 'after = "delete"'
                file.write("\n".join(["[targets.t]", f'url = "{server.url}"', "idempotent = true", after, verify, ""]))
            content = random.randbytes(random.choice([4096, 600_000]))
            write(path, content)
            inode = os.stat(path).st_ino
            hidden = os.path.join(folder, f".a.bin.{base36(inode)}.hoist")
            trash = place.file(".local", "share", "Trash")
            named = [word for name in [path, hidden, os.path.join(folder, "sent", "a.bin"),
                                       os.path.join(trash, "files", "a.bin"),
                                       os.path.join(trash, "info", "a.bin.trashinfo")] for word in ["-P", name]]
            pushes = number % 3 == 0
            if not pushes:
                place.run("add", "--to", "t", path)
            for turn in range(6):
                # Nothing else looks for the hidden name, so the first kill leaves the queue with nothing but the file to
                # delete. The second one then sweeps over the system calls of that.
                if not pushes and turn == 0:
                    what = ["-P", hidden, "-e", "inject=all:signal=KILL:when=1"]
                elif turn < 3 or random.random() < 0.5:
                    when = random.randint(1, 26) if turn > 1 else 1 + number // 2 % 26
                    what = [*named, "-e", f"inject=all:signal=KILL:when={when}"]
                else:
                    what = ["-e", f"inject={random.choice(OTHER_CALLS)}:signal=KILL:when={random.randint(1, 3)}"]
                command = ["push", "--to", "t", path] if pushes else ["send"]
                done = subprocess.run(
                    ["strace", "-f", "-qq", "-o", os.devnull, *what, hoist, *command], cwd=place.path,
                    env=place.environment, stdin=subprocess.DEVNULL, capture_output=True)
                with lock:
                    is_killed = done.returncode in (-9, 137)
                    totals["kills"] += is_killed
                    totals["of them when the server had the file"] += is_killed and content in stored
                left = [os.path.join(folder, name) for name in os.listdir(folder) if name != "sent"]
                whole = [name for name in left if open(name, "rb").read() == content]
                if not whole and content not in stored:
                    count.fail(number, f"a file is lost ({command[0]}, {what})")
                if not left:
                    break
            if pushes:
                # A guard that was killed as well leaves the hidden name.
                if os.path.exists(hidden):
                    os.rename(hidden, path)
                if os.path.exists(path):
                    place.run("push", "--to", "t", path)
            else:
                place.run("send")
            left = [name for name in os.listdir(folder) if name != "sent"]
            if left:
                _, history, _ = place.run("history", "--json")
                count.fail(number, f"in the end, there is {left} ({command[0]}): {history[-300:]}")
        shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(attempt, range(files), [random.random() for _ in range(files)]))
    count.remarks = [f"{number} {what}" for what, number in totals.items()]
    if totals["of them when the server had the file"] < files // 2:
        count.fail("attack", "few kills struck: this run shows too little")
    return [count]


def base36(number):
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits
