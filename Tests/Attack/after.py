"""hoist deletes or moves files that were sent, and is killed at random moments. No file is gone that the server does not
have."""

import hashlib
import os
import time

from common import Count, Place, Server, source, wait_until, write


def run(hoist, seed, quick):
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
