#!/usr/bin/env python3
"""Measures what a screen with four moving bars costs: bytes to the terminal, processor time, write calls for each frame,
and its start, also with 200,000 files.

    bars.py HOIST [BEFORE] [--seconds 60] [--starts 30]

With another program, both run at the same time or in turn, and the ratios are printed beside their bounds; ends with 1
where one is missed. With strace, it counts write calls.
"""
import argparse, os, shutil, signal, statistics, subprocess, sys, tempfile, time

from terminal import CURSOR, FRAME, NOBODY, Echo, Screen, at_most, latencies

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = ["plain", "holiday pictures", "minutes", "backup of the desk"]
# Glyphs of Unicode 15 and 16, whose width the C library may not know, and others that it knows.
NEW = ["🫨 shaken", "bags 🫩🫩", "🪏 shovel 日本語", "🪻🪼🫎 नमस्ते"]
missed = 0


def report(what, unit, mine, others, bound=None, difference=False):
    """A figure of each program, and their ratio or difference beside its bound."""
    global missed
    line = f"  {what:<44} {mine:9.1f}"
    if others is not None:
        result = mine - others if difference else mine / others
        line += f" {others:9.1f} {unit:<12} {result:6.2f}"
        if bound is not None:
            missed += result > bound
            line += f"   bound {bound:g}   {'ok' if result <= bound else 'MISSED'}"
    else:
        line += f" {unit}"
    print(line, flush=True)


def sending(url, names):
    return ["--fresh", "--concurrency", "4", "--limit", "8MB/s", "--to", url, *names]


def moving(programs, homes, url, size, names, seconds):
    """What each program writes and needs in this time, all at once: what disturbs one disturbs the others."""
    screens = [Screen(program, home, sending(url, names), *size) for program, home in zip(programs, homes)]
    for screen in screens:
        screen.wait(b"MB/s")
    start = time.monotonic()
    begun = None
    while time.monotonic() < start + 2 + seconds:
        for screen in screens:
            while screen.read(0.005):
                pass
        # The first seconds are the start's.
        if begun is None and time.monotonic() > start + 2:
            begun = [(screen.total, screen.frames, screen.cpu()) for screen in screens]
    found = [(screen.total - total, screen.frames - frames, screen.cpu() - cpu)
             for screen, (total, frames, cpu) in zip(screens, begun)]
    for screen in screens:
        screen.leave()
    return found


def writes(program, home, url, size, names):
    """The write calls to the terminal for each frame."""
    log = f"{home}/strace"
    # It says of each write which file it goes to.
    screen = Screen(program, home, sending(url, names), *size,
                    before=["strace", "-f", "-qq", "-y", "-s", "1", "-e", "trace=write,writev", "-o", log])
    screen.wait(b"MB/s")
    end = time.monotonic() + 10
    while time.monotonic() < end:
        screen.read(0.05)
    screen.leave()
    with open(log) as lines:
        return sum("</dev/pts/" in line for line in lines) / screen.frames


def starts(programs, homes, arguments, text, count):
    """From the start to the first frame with this text, and the processor time until then, in milliseconds."""
    found, spent = [[] for _ in programs], [[] for _ in programs]
    for number in range(count):
        order = list(enumerate(programs))
        for index, program in order if number % 2 else reversed(order):
            start = time.perf_counter()
            screen = Screen(program, homes[index], arguments)
            while FRAME not in screen.text.partition(text)[2]:
                screen.read(0.1)
            found[index].append((time.perf_counter() - start) * 1000)
            os.kill(screen.process, signal.SIGKILL)
            used = os.wait4(screen.process, 0)[2]
            os.close(screen.fd)
            spent[index].append((used.ru_utime + used.ru_stime) * 1000)
    return [[statistics.median(times) for times in each] for each in (found, spent)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hoist")
    parser.add_argument("before", nargs="?")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--starts", type=int, default=30)
    asked = parser.parse_args()
    programs = [os.path.abspath(program) for program in (asked.hoist, asked.before) if program]
    os.environ["COLORTERM"] = "truecolor"
    with tempfile.TemporaryDirectory() as folder:
        # Each program has a home and a queue of its own.
        homes = [f"{folder}/{index}" for index in range(len(programs))]
        for home in homes:
            os.makedirs(f"{home}/run", 0o700)
            for name in PLAIN + NEW:
                with open(f"{home}/{name}", "wb") as file:
                    # Ten seconds more than it is looked at.
                    file.truncate(int(2_000_000 * (asked.seconds + 12)))
        subprocess.run(["cc", "-O2", "-pthread", "-o", f"{folder}/sink", f"{HERE}/../upload/sink.c"], check=True)
        sink = subprocess.Popen([f"{folder}/sink"], stdout=subprocess.PIPE, text=True)
        try:
            measure(programs, homes, f"http://127.0.0.1:{sink.stdout.readline().strip()}/upload", asked)
        finally:
            sink.kill()
    sys.exit(1 if missed else 0)


def pair(values):
    values = list(values)
    return values if len(values) > 1 else [*values, None]


def measure(programs, homes, url, asked):
    print(f"{'The screen with four moving bars:':<47} {'hoist':>8} {'before' if asked.before else '':>9}")
    for size in [(100, 30), (200, 60)]:
        for what, names, bound in [("", PLAIN, 1.15), (", new glyphs", NEW, 1.5)]:
            place = f"{size[0]}x{size[1]}{what}"
            found = moving(programs, homes, url, size, names, asked.seconds)
            report(f"{place}: frames", "", *pair(frames for _, frames, _ in found))
            report(f"{place}: bytes to the terminal", "kB", *pair(total / 1000 for total, _, _ in found), bound)
            report(f"{place}: processor time", "ms", *pair(cpu * 1000 for _, _, cpu in found), bound)
            if shutil.which("strace"):
                report(f"{place}: write calls for a frame", "",
                       *pair(writes(program, home, url, size, names) for program, home in zip(programs, homes)))

    times, spent = starts(programs, homes, ["--fresh", "--to", NOBODY], b"Nothing is queued", asked.starts)
    report("start, to the first whole frame", "ms", *pair(times), 2, difference=True)
    report("(processor time)", "ms", *pair(spent), difference=True)
    os.mkdir(f"{homes[0]}/many")
    for number in range(200_000):
        open(f"{homes[0]}/many/{number}", "wb").close()
    queue = ["--queue", "many.sqlite", "--to", NOBODY]
    for program, home in zip(programs, homes):
        subprocess.run([program, "add", "-r", f"{homes[0]}/many", *queue], check=True, stderr=subprocess.DEVNULL, cwd=home,
                       env=dict(os.environ, HOME=home, XDG_RUNTIME_DIR=f"{home}/run"))
    times, spent = starts(programs, homes, queue, CURSOR, asked.starts)
    report("200,000 files: start, to the first rows", "ms", *pair(times), 2, difference=True)
    report("(processor time)", "ms", *pair(spent), difference=True)
    echo = Echo()
    screens = [Screen(program, home, queue) for program, home in zip(programs, homes)]
    for screen in screens:
        screen.wait(b"200,000")
        while screen.read(0.5):
            pass
    goes = [[latencies(screen, echo, 100, [b"j", b"k"])[0] for screen in screens] for _ in range(5)]
    report("200,000 files: half of the keys", "ms",
           *pair(min(go[index][50] for go in goes) for index in range(len(programs))), 1, difference=True)
    report("200,000 files: 99 of 100 keys", "ms",
           *pair(min(at_most((go[index], None)) for go in goes) for index in range(len(programs))), 2, difference=True)
    for screen in screens:
        screen.leave()
    echo.leave()


if __name__ == "__main__":
    main()
