#!/usr/bin/env python3
"""Five screens beside the one that sends: how long after it they show the same number.

    attached.py HOIST

Each is a tmux session whose text is read some thirty times a second, which is how exact the figures are. Ends with
1 where the bound is missed.
"""
import os, re, statistics, subprocess, sys, tempfile, time

HOIST = os.path.abspath(sys.argv[1])
ONLOOKERS = 5
BOUND = 200  # ms


def main():
    with tempfile.TemporaryDirectory(prefix="hoist-attached-") as folder:
        os.mkdir(f"{folder}/run", 0o700)
        environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=f"{folder}/run", XDG_STATE_HOME=f"{folder}/state",
                           XDG_CONFIG_HOME=f"{folder}/config", LANG="C.UTF-8", TERM="xterm-256color")
        sockets = [f"{folder}/tmux{number}" for number in range(ONLOOKERS + 1)]

        def tmux(socket, *arguments):
            return subprocess.run(["tmux", "-S", socket, "-f", "/dev/null", *arguments], env=environment,
                                  cwd=folder, capture_output=True, text=True).stdout

        def wait(what, look):
            end = time.monotonic() + 30
            while not look():
                if time.monotonic() > end:
                    sys.exit(f"waited in vain for {what}")
                time.sleep(0.05)

        with open(f"{folder}/big.bin", "wb") as file:
            file.truncate(300_000_000)
        receiver = subprocess.Popen([HOIST, "receive", "--port", "0", "--dir", f"{folder}/inbox"], env=environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = re.search(r"http://\S+", receiver.stdout.readline())[0]
            sent = lambda socket: (re.search(r"([\d.]+) of [\d.]+ MB", tmux(socket, "capture-pane", "-p")) or [0, None])[1]
            for number, socket in enumerate(sockets):
                options = f"big.bin --limit 10MB/s --to {url}" if number == 0 else f"--to {url}"
                tmux(socket, "new-session", "-d", "-x", "100", "-y", "28", f"{HOIST} {options}")
                wait("a screen with its progress", lambda: sent(socket))
            first = [{} for _ in sockets]
            end = time.monotonic() + 15
            while time.monotonic() < end:
                for seen, socket in zip(first, sockets):
                    value = sent(socket)
                    if value:
                        seen.setdefault(value, time.monotonic())
            # The first of each was there before anybody looked.
            lags = [(seen[value] - first[0][value]) * 1000
                    for seen in first[1:] for value in list(first[0])[1:] if value in seen]
            worst = max(lags)
            print(f"{ONLOOKERS} screens beside a sender, {len(lags)} numbers: mean {statistics.mean(lags):.0f} ms behind, "
                  f"worst {worst:.0f}   bound {BOUND} ms   {'ok' if worst <= BOUND else 'MISSED'}")
        finally:
            for socket in sockets:
                screen = tmux(socket, "list-panes", "-F", "#{pane_pid}").strip()
                tmux(socket, "kill-server")
                # It writes its state into the folder until it ends.
                while screen and os.path.exists(f"/proc/{screen}"):
                    time.sleep(0.05)
            receiver.kill()
            receiver.wait()
        sys.exit(1 if worst > BOUND else 0)


main()
