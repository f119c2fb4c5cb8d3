"""hoist is killed at random moments and started again. Each file arrives, and twice only where that was said."""

import collections
import hashlib
import time

from common import Count, Place, Server, ends, source, wait_until, write


def finish(place, queue, url):
    """Lets hoist come to its end, and sends those again of which nobody knows. Returns what is left."""
    for _ in range(5):
        place.run("--plain", "--to", url, "--queue", queue)
        left = [item for item in place.lines("queue", "--queue", queue) if item["state"] != "done"]
        if not left:
            return []
        status, _, errors = place.run("queue", "retry", "--queue", queue, *[str(item["number"]) for item in left])
        if status == 2:
            raise RuntimeError(f"hoist queue retry: {errors}")
    return left


def judge(count, names, visits, history, which):
    """Compares what was sent with what arrived. `names` gives each file's sum; `which` the attack that met it.

    Returns how many second copies there are, and how many of these were sent by hoist itself, because it took the
    first for broken off before its end.
    """
    for visit in visits:
        if names.get(visit.name) != visit.content:
            count.fail(which(visit.name), f"{visit.name} arrived with another content")
    copies = collections.Counter(visit.name for visit in visits)
    done = ends(history, "done")
    unknown = ends(history, "outcome-unknown")
    said = unknown + ends(history, "interrupted")
    for name in names:
        if not copies[name]:
            count.fail(which(name), f"{name} is lost")
        elif copies[name] - 1 > said[name]:
            count.fail(which(name), f"{name} arrived {copies[name]} times, {said[name]} of them in doubt")
        if done[name] != 1:
            count.fail(which(name), f"{name} is done {done[name]} times in the history")
    again = sum(copies.values()) - len(copies)
    return again, sum(max(0, copies[name] - 1 - unknown[name]) for name in names)


def close(count, place, queue, server, names, starts):
    """Sends what is left, and judges the whole. Returns the history and what `judge` says."""
    for item in finish(place, queue, server.url):
        count.fail("end", f"{item['name']} is left as {item['state']}")
    visits = server.arrived()

    def which(name):
        times = [visit.began for visit in visits if visit.name == name]
        return f"kill {sum(start <= times[0] for start in starts)}" if times else "end"

    history = place.lines("history", "--queue", queue)
    return history, *judge(count, names, visits, history, which)


def run(hoist, seed, quick):
    kills = 20 if quick else 200
    random = source(seed, "kills")
    count = Count("kills", "every file once on the server, or the copy before was called unknown or interrupted", kills)
    # Some bodies are read slowly, some replies come when the sender is long dead.
    server_random = source(seed, "server")

    def during(*_):
        time.sleep(server_random.choice([0, 0, 0, 0.03]))

    with Place(hoist, "kills") as place, Server(
            during, lambda: server_random.choice([0, 0.02, 0.1, 0.3]), keeps=False) as server:
        queue = place.file("queue.sqlite")
        names, starts, under_way = {}, [], 0

        def add():
            paths = []
            for _ in range(50):
                name = f"file-{len(names)}.bin"
                content = random.randbytes(random.randint(1, 200_000))
                write(place.file(name), content)
                names[name] = hashlib.sha256(content).digest()
                paths.append(name)
            status, _, errors = place.run("add", "--to", server.url, "--queue", queue, *paths)
            if status != 0:
                raise RuntimeError(f"hoist add: {errors}")

        for kill in range(kills):
            if len({visit.name for visit in server.arrived()}) > len(names) - 20:
                add()
            starts.append(time.monotonic())
            before = len(server.arrived())
            child = place.start("--plain", "--to", server.url, "--queue", queue)
            # Some in the middle of their first steps, most with files under way.
            if random.random() < 0.8:
                wait_until(lambda: len(server.arrived()) > before or child.poll() is not None, 20)
            time.sleep(random.uniform(0, 0.3))
            if child.poll() is None:
                under_way += len(server.arrived()) > before
                child.kill()
            else:
                count.fail(kill + 1, f"hoist had ended by itself with {child.returncode}")
            child.wait()
        _, again, broken_off = close(count, place, queue, server, names, starts)
    count.remarks = [f"{len(names)} files", f"{under_way} kills after a reply was due",
                     f"{again} second copies, of them {broken_off} called interrupted and not unknown"]
    if under_way < kills // 2:
        count.fail("attack", "most kills came before anything was sent: this run shows nothing")
    return [count]
