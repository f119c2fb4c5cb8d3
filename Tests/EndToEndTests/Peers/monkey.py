"""Presses random keys in hoist's screen, in a terminal of its own.

    monkey.py HOIST TARGET KEYS SEED

Ends with 0 when hoist never crashed and always gave the terminal back as it was.
"""
import fcntl, os, pty, random, select, signal, struct, sys, termios, time

hoist, target, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
dice = random.Random(seed)
keys = (
    [bytes([code]) for code in range(1, 27) if code not in (3, 26)]  # not ^c and ^z
    + [bytes([code]) for code in range(32, 127) if chr(code) not in "qQ"]
    + [b"\x1b", b"\x7f", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"]
    + [b"\x1b[3~", b"\x1b[5~", b"\x1b[6~", b"\x1b[Z", b"\x1bOP", "é".encode(), "漢".encode()]
    + [b"\x1b[200~/etc/hostname /etc/hosts\x1b[201~", b"\x1b[200~nonsense\x1b[201~", b"\x1b[999~", b"\xff"]
) + [b"j", b"k", b" ", b"\r", b"\x1b"] * 6


def restored(text):
    """Whether the last thing said about the alternate screen, pastes and the mouse is that they end."""
    for begin, end in [(b"[?1049h", b"[?1049l"), (b"[?2004h", b"[?2004l"), (b"[?1002h", b"[?1002l")]:
        if text.rfind(end) <= text.rfind(begin):
            return False
    return True


class Visit:
    def __init__(self):
        # The terminal is ours before and after, so that what hoist leaves of it can be seen.
        self.master, self.slave = pty.openpty()
        # Neither side may wait for the other while it holds what the other waits for.
        os.set_blocking(self.master, False)
        self.size(80, 24)
        self.before = termios.tcgetattr(self.slave)
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(self.slave, number)
            files = [name for name in os.listdir(".") if name.startswith("file")]
            environment = dict(os.environ, TERM="xterm-256color")
            os.execve(hoist, [hoist, "--to", target] + sorted(files), environment)
        self.text = b""
        self.status = None
        self.await_screen()

    def await_screen(self):
        """Keys and signals that come before it are the terminal's and the system's, not hoist's."""
        end = time.time() + 60
        while b"[?1002h" not in self.text:
            self.read(0.05)
            assert not self.has_ended(), f"hoist ended with {self.status}: {self.text[-3000:]!r}"
            assert time.time() < end, f"hoist shows no screen: {self.text[-2000:]!r}"

    def size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, timeout=0.0):
        ready, _, _ = select.select([self.master], [], [], timeout)
        if not ready:
            return False
        self.text = (self.text + os.read(self.master, 1 << 16))[-65536:]
        return True

    def has_ended(self):
        if self.status is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def act(self):
        choice = dice.random()
        if choice < 0.01:
            self.size(dice.randint(1, 200), dice.randint(1, 60))
        elif choice < 0.03:
            button = dice.choice([0, 0, 0, 1, 2, 64, 65])
            self.press(b"\x1b[<%d;%d;%dM" % (button, dice.randint(0, 200), dice.randint(0, 60)))
        else:
            self.press(dice.choice(keys))

    def press(self, data):
        while data:
            try:
                data = data[os.write(self.master, data):]
            except BlockingIOError:
                self.read(0.01)

    def check(self, allowed):
        while self.read(0.05):
            pass
        assert self.status in allowed, f"hoist ended with {self.status}: {self.text[-3000:]!r}"
        assert restored(self.text), f"the screen is left on: {self.text[-500:]!r}"
        assert termios.tcgetattr(self.slave) == self.before, "the terminal's settings are changed"
        os.close(self.master)
        os.close(self.slave)


def main():
    visit = Visit()
    pressed = visits = 0
    visits = 1
    last = time.time()
    while pressed < count:
        if visit.has_ended():
            # `:quit` can be typed by chance.
            visit.check({0, 1, 130})
            visit = Visit()
            visits += 1
        visit.act()
        pressed += 1
        while visit.read():
            last = time.time()
        if pressed % 20 == 0:
            visit.read(0.002)
        if time.time() - last > 60:
            sys.exit(f"hoist says nothing any more: {visit.text[-2000:]!r}")
    os.kill(visit.process, signal.SIGTERM)
    end = time.time() + 60
    while not visit.has_ended():
        visit.read(0.05)
        if time.time() > end:
            sys.exit("hoist does not end when it is told to")
    visit.check({0, 1, 130})
    print(f"pressed {count} keys in {visits} visits, seed {seed}")


main()
