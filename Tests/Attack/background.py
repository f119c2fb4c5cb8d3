"""The terminal of a screen is killed at random moments, and another process goes on. Each file arrives once."""

import fcntl
import hashlib
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

from common import Count, Place, Server, ends, source, wait_until, write
from kills import close

TERMINAL = pathlib.Path(__file__).with_name("terminal.py")


def is_sent(queue):
    """Whether a process has the right to send the queue."""
    try:
        with open(queue, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True


def run(hoist, seed, quick):
    kills, total = (8, 32) if quick else (50, 200)
    random = source(seed, "background")
    count = Count(
        "background", "every file once on the server, or the copy before was called unknown; nothing waits for a hoist",
        kills)
    server_random = source(seed, "background server")

    def during(*_):
        time.sleep(server_random.choice([0.01, 0.03, 0.1]))

    with Place(hoist, "background") as place, Server(
            during, lambda: server_random.choice([0, 0.05, 0.3]), keeps=False) as server:
        environment = dict(place.environment, TERM="xterm-256color")
        queue = os.path.join(place.folder("state", "hoist"), "queue.sqlite")
        os.makedirs(place.file("config", "hoist"), exist_ok=True)
        with open(place.file("config", "hoist", "config.toml"), "w") as file:
            file.write(f'default_target = "here"\n[targets.here]\nurl = "{server.url}"\nconcurrency = 2\n[screen]\nbackground = true\n')
        names, starts, handed_over = {}, [], 0
        for kill in range(kills):
            paths = []
            for _ in range(total // kills):
                name = f"file-{len(names)}.bin"
                content = random.randbytes(random.randint(1, 600_000))
                write(place.file(name), content)
                names[name] = hashlib.sha256(content).digest()
                paths.append(name)
            starts.append(time.monotonic())
            before = len(server.arrived())
            # In half of them a shell stands between, which hears of the end as well.
            command = [hoist, *paths]
            if kill % 2:
                command = ["/bin/sh", "-c", shlex.join(command) + "; :"]
            terminal = subprocess.Popen(
                [sys.executable, TERMINAL, *command], cwd=place.path, env=environment,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            place.children.append(terminal)
            known = [item["name"] for item in place.lines("queue")] if wait_until(lambda: is_sent(queue), 20) else []
            # What is not in the queue yet was never taken.
            if not wait_until(lambda: set(paths) <= {item["name"] for item in place.lines("queue")} | {
                    visit.name for visit in server.arrived()}, 20):
                count.fail(kill + 1, f"{paths} are not in the queue but {known}")
            if random.random() < 0.5:
                wait_until(lambda: len(server.arrived()) > before, 20)
            time.sleep(random.uniform(0, 0.4))
            terminal.send_signal(signal.SIGHUP if random.random() < 0.5 else signal.SIGKILL)
            terminal.wait()
            if random.random() < 0.7:
                left = any(item["state"] not in ("done", "failed", "unknown") for item in place.lines("queue"))
                handed_over += left
                # Nobody starts a hoist: what was left is sent all the same.
                if not wait_until(lambda: not is_sent(queue), 60):
                    count.fail(kill + 1, "the sender does not end")
                rest = [item for item in place.lines("queue") if item["state"] not in ("done", "failed", "unknown")]
                if rest:
                    count.fail(kill + 1, f"{[item['name'] for item in rest]} wait for a hoist")
        wait_until(lambda: not is_sent(queue), 60)
        history, again, broken_off = close(count, place, queue, server, names, starts)
        outcomes = {word: sum(ends(history, word).values()) for word in ("outcome-unknown", "interrupted", "stopped")}
    count.remarks = [f"{len(names)} files", f"{handed_over} kills left work to the background",
                     f"{again} second copies, of them {broken_off} not called unknown",
                     ", ".join(f"{number} {word}" for word, number in outcomes.items())]
    if handed_over < kills // 4:
        count.fail("attack", "most kills came when nothing was left: this run shows nothing")
    return [count]
