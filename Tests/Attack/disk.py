"""The queue's disk is full at random moments. Results are kept, and nothing is sent twice without a word."""

import contextlib
import hashlib
import resource
import signal
import subprocess
import time

from common import Count, Place, Server, source, wait_until, write
from kills import finish, judge

FILES = 6


def visit(hoist, random, count, number):
    """One start on a disk that becomes full, an end of some kind, and a start with room again."""
    server_random = source(number, "server")
    with Place(hoist, "disk") as place, Server(
            delay=lambda: server_random.choice([0, 0.02, 0.1, 0.3]), keeps=False) as server:
        queue = place.file("queue.sqlite")
        names = {}
        for file in range(FILES):
            name = f"disk-{file}.bin"
            content = random.randbytes(random.randint(1, 100_000))
            write(place.file(name), content)
            names[name] = hashlib.sha256(content).digest()
        status, _, errors = place.run("add", "--to", server.url, "--queue", queue, *names)
        if status != 0:
            raise RuntimeError(f"hoist add: {errors}")
        with open(place.file("errors"), "wb") as errors:
            child = place.start(
                "--plain", "--to", server.url, "--queue", queue, errors=errors, input=subprocess.PIPE)
            # What a full disk means to a process that writes. The queue's log is beyond 4096 bytes with its first page, the
            # file of results is smaller; with one byte there is room nowhere.
            room = random.choice([1, 4096, 4096, 4096, 20_000])
            if random.random() < 0.8:
                wait_until(lambda: server.arrived() or child.poll() is not None, 20)
            time.sleep(random.uniform(0, 0.2))
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            time.sleep(random.uniform(0.1, 0.8))
            end = random.choice(["quit", "SIGTERM", "SIGKILL", "room"])
            if end == "room":
                with contextlib.suppress(ProcessLookupError):
                    resource.prlimit(
                        child.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            with contextlib.suppress(BrokenPipeError):
                if end == "quit":
                    child.stdin.write(b"quit\ns\n")
                child.stdin.close()
            if end == "SIGKILL":
                child.kill()
            elif end == "SIGTERM":
                child.terminate()
            try:
                child.wait(60)
            except subprocess.TimeoutExpired:
                count.fail(number, f"did not end after {end}")
                child.kill()
                child.wait()
        with open(place.file("errors")) as errors:
            said = errors.read()
        if child.returncode < 0 and not (
                end == "SIGKILL" and child.returncode == -signal.SIGKILL
                or end == "SIGTERM" and child.returncode == -signal.SIGTERM):
            count.fail(number, f"ended by signal {-child.returncode} after {end}")
        first = [visit.name for visit in server.arrived()]
        for item in finish(place, queue, server.url):
            count.fail(number, f"{item['name']} is left as {item['state']}")
        history = place.lines("history", "--queue", queue)
        if "may send again" in said:
            # It said so, and which files.
            history += [{"name": name, "outcome": "outcome-unknown"} for name in names if f"! {name}:" in said]
        again, broken_off = judge(count, names, server.arrived(), history, lambda name: number)
        if number in count.broken and "room" not in count.broken[number]:
            count.broken[number] += f" (room for {room}, {end}, status {child.returncode}, said: {said[-300:]!r})"
        return len(first) > 0, again, broken_off


def run(hoist, seed, quick):
    total = 5 if quick else 50
    random = source(seed, "disk")
    count = Count("full disk", "results are kept, nothing is sent twice without a word", total)
    visits = [visit(hoist, random, count, number + 1) for number in range(total)]
    sent, again, broken_off = (sum(column) for column in zip(*visits))
    count.remarks = [f"{sent} times files were under way",
                     f"{again} second copies, of them {broken_off} called interrupted and not unknown"]
    return [count]
