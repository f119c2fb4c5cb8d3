#!/usr/bin/env python3
"""Measures the screen: the pure half by screen-bench, the whole program in a terminal of our own.

    run.py HOIST SCREEN-BENCH

Prints each number beside its bound and ends with 1 where one is missed.
"""
import json, os, re, signal, subprocess, sys, tempfile, threading, time

from terminal import CURSOR, FRAME, NOBODY, Echo, Screen, Server, Sink, at_most, latencies

HERE = os.path.dirname(os.path.abspath(__file__))
HOIST, BENCH = (os.path.abspath(path) for path in sys.argv[1:3])
missed = 0


def check(what, value, bound, unit):
    global missed
    ok = value <= bound
    missed += not ok
    print(f"  {what:<58} {value:8.2f} {unit}   bound {bound:g} {unit}   {'ok' if ok else 'MISSED'}")


def long_list(folder):
    """Keys while the list of what a receiver has is read, and beside it; it holds 40,000 files."""
    os.makedirs(f"{folder}/inbox")
    for number in range(40_000):
        open(f"{folder}/inbox/IMG_{number}.jpg", "wb").close()
    receiver = subprocess.Popen([HOIST, "receive", "--port", "0", "--dir", f"{folder}/inbox"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, HOME=folder))
    try:
        url = re.search(r"http://[^/]+/", receiver.stdout.readline())[0]
        with open(f"{folder}/desk.toml", "w") as file:
            file.write(f'[targets.desk]\ntype = "hoist"\nurl = "{url}"\n')
        screen = Screen(HOIST, folder, ["--fresh", "--config", f"{folder}/desk.toml", "--to", "desk"])
        screen.wait(b"Nothing is queued")
        while screen.read(0.3):
            pass
        start = time.perf_counter()
        screen.press(b"2")
        shown, waits = None, []
        while shown is None or time.perf_counter() - start < shown + 2:
            while screen.read(0):
                pass
            screen.text = b""
            pressed = time.perf_counter()
            # The help comes over whatever is there, and goes again.
            screen.press(b"?" if len(waits) % 2 == 0 else b"q")
            while FRAME not in screen.text:
                screen.read(0.1)
            waits.append((time.perf_counter() - pressed) * 1000)
            if shown is None and b"40,000" in screen.text:
                shown = time.perf_counter() - start
            screen.read(0.01)
            if shown is None and time.perf_counter() - start > 60:
                raise SystemExit("the list did not come")
        check("the longest that a key waits while a list of 40,000 comes", max(waits), 50, "ms")
        print(f"  {'(until the list is there)':<58} {shown * 1000:8.2f} ms")
        if len(waits) % 2:
            screen.press(b"q")
        while screen.read(0.3):
            pass
        echo = Echo()
        check("99 of 100 keys beside that list", at_most(latencies(screen, echo, 200, [b"j", b"k"])), 50, "ms")
        echo.leave()
        screen.leave()
    finally:
        receiver.kill()
        receiver.wait()


def main():
    pure = json.loads(subprocess.check_output([BENCH]))
    print("The screen:")
    # The program reads a queue in portions: what a person waits for is the first frame, further down.
    print(f"  {'(taking in 100,000 files and painting them)':<58} {pure['first'] * 1e3:8.2f} ms")
    check("painting a full frame of 200x60", pure["full"] * 1e3, 1, "ms")
    check("a key and its frame with 100,000 files", pure["key"] * 1e3, 2, "ms")
    check("a filter over 100,000 names", pure["filter"] * 1e3, 50, "ms")

    server = Server(("127.0.0.1", 0), Sink)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/upload"
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/run", 0o700)
        # What takes in at full speed is no thread of ours: they would hold the clock up.
        subprocess.run(["cc", "-O2", "-pthread", "-o", f"{folder}/sink", f"{HERE}/../upload/sink.c"], check=True)
        sink = subprocess.Popen([f"{folder}/sink"], stdout=subprocess.PIPE, text=True)
        quick = f"http://127.0.0.1:{sink.stdout.readline().strip()}/upload"
        # One file by many names, so that reading it costs no more than a copy: a file that is read for the
        # first time occupies a processor inside the kernel, for tens of milliseconds in a virtual machine.
        with open(f"{folder}/content", "wb") as file:
            file.truncate(1 << 30)
        with open(f"{folder}/content", "rb") as file:
            while file.read(1 << 20):
                pass
        names = [f"file{number}.bin" for number in range(512)]
        for name in names:
            os.link(f"{folder}/content", f"{folder}/{name}")

        screen = Screen(HOIST, folder, ["--fresh", "--concurrency", "8", "--to", quick] + names)
        screen.wait(b"sending")
        echo = Echo()
        for what, keys in [("keys", [b"j", b"k"]), ("moves in the queue", [b"J", b"K"])]:
            # A shared machine takes its processors away for longer than the bound. That shows in cat as well;
            # the program's own share is in the quietest of the goes.
            goes = sorted((latencies(screen, echo, 200, keys) for _ in range(5)), key=at_most)
            check(f"99 of 100 {what} on the screen, 8 lanes at full speed", at_most(goes[0]), 16, "ms")
            print(f"  {'(half of them)':<58} {goes[0][0][100]:8.2f} ms")
            print(f"  {'(99 of 100 in each go)':<58} {', '.join('%.1f' % at_most(go) for go in goes)} ms")
            print(f"  {'(99 of 100 that cat answers meanwhile)':<58} {', '.join('%.1f' % at_most(go[1:]) for go in goes)} ms")
        echo.leave()
        screen.leave()
        sink.kill()

        # The same work with and without a screen: what is left is the screen's.
        Sink.rate = 2_000_000
        def spent(arguments, seconds=8):
            screen = Screen(HOIST, folder, arguments)
            screen.wait(b"MB/s" if "push" not in arguments else b"", 60)
            time.sleep(1)
            while screen.read(0):
                pass
            start = screen.cpu()
            end = time.time() + seconds
            while time.time() < end:
                screen.read(0.05)
            used = (screen.cpu() - start) / seconds * 100
            screen.leave()
            return used

        drawn = spent(["--fresh", "--concurrency", "8", "--limit", "16MB/s", "--to", url] + names)
        quiet = spent(["push", "--quiet", "--concurrency", "8", "--limit", "16MB/s", "--to", url] + names)
        check("processor that the screen takes while uploading", max(0, drawn - quiet), 3, "% of a core")
        print(f"  {'(all of hoist with a screen, without one)':<58} {drawn:8.2f} % {quiet:.2f} %")

        # A screen that looks on what another one sends is as quick, four more beside it.
        queue = ["--queue", f"{folder}/shared.sqlite", "--to", url]
        drains = threading.Event()

        def drain(screen):
            while not drains.is_set():
                screen.read(0.05)

        readers = []
        screens = [Screen(HOIST, folder, [*queue, "--concurrency", "8", "--limit", "16MB/s"] + names)]
        for number in range(6):
            # With the first file in its row; the header alone may be there before there is a row to move to.
            screens[-1].wait(CURSOR)
            screens[-1].wait(b"sending")
            if number != 1:
                readers.append(threading.Thread(target=drain, args=[screens[-1]], daemon=True))
                readers[-1].start()
            if number < 5:
                screens.append(Screen(HOIST, folder, queue))
        echo = Echo()
        goes = sorted((latencies(screens[1], echo, 200, [b"j", b"k"]) for _ in range(5)), key=at_most)
        check("99 of 100 keys on one of five screens beside a sender", at_most(goes[0]), 16, "ms")
        print(f"  {'(99 of 100 in each go)':<58} {', '.join('%.1f' % at_most(go) for go in goes)} ms")
        print(f"  {'(99 of 100 that cat answers meanwhile)':<58} {', '.join('%.1f' % at_most(go[1:]) for go in goes)} ms")
        drains.set()
        for reader in readers:
            reader.join()
        echo.leave()
        for screen in reversed(screens):
            screen.leave()

        os.mkdir(f"{folder}/many")
        for number in range(100_000):
            open(f"{folder}/many/{number}", "wb").close()
        subprocess.run(
            [HOIST, "add", "-r", f"{folder}/many", "--queue", f"{folder}/many.sqlite", "--to", NOBODY], check=True,
            stderr=subprocess.DEVNULL)
        firsts, wholes = [], []
        for _ in range(5):
            start = time.perf_counter()
            screen = Screen(HOIST, folder, ["--queue", f"{folder}/many.sqlite", "--to", NOBODY])
            screen.wait(CURSOR)
            firsts.append((time.perf_counter() - start) * 1000)
            screen.wait(b"100,")
            wholes.append((time.perf_counter() - start) * 1000)
            os.kill(screen.process, signal.SIGKILL)
            os.waitpid(screen.process, 0)
        check("from the start to the first frame with files, 100,000 queued", sorted(firsts)[2], 60, "ms")
        print(f"  {'(to the frame with all of them)':<58} {sorted(wholes)[2]:8.2f} ms")

        long_list(folder)

        screen = Screen(HOIST, folder, ["--fresh", "--to", url])
        screen.wait(b"Nothing is queued")
        while screen.read(1):
            pass
        # Dispatch keeps its threads for some seconds.
        time.sleep(7)
        check("wake-ups in 10 s when idle", screen.wakeups(10), 0, "")
        screen.leave()

        # URLSession frees the body on a global queue; from then on libdispatch looks after that queue's
        # threads once a second (_dispatch_workq_monitor_pools), and there is no way to stop it.
        screen = Screen(HOIST, folder, ["--fresh", "--to", url, "many/1"])
        screen.wait(b"200 OK")
        while screen.read(1):
            pass
        time.sleep(7)
        print(f"  {'(after an upload; libdispatch wakes itself up)':<58} {screen.wakeups(10):8.2f}")
        screen.leave()
    sys.exit(1 if missed else 0)


main()
