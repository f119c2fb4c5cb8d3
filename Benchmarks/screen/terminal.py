"""What the screen's benchmarks share: hoist in a pseudo-terminal of our own, a server that takes uploads, and cat."""
import fcntl, http.server, os, pty, select, signal, socketserver, struct, termios, time

CURSOR = "▌".encode()
# The end of a synchronized update, which ends a frame.
FRAME = b"\x1b[?2026l"
# Where nothing listens: what is queued stays queued.
NOBODY = "http://127.0.0.1:9/"


class Sink(http.server.BaseHTTPRequestHandler):
    """Takes uploads and throws them away, no faster than RATE bytes a second each."""

    protocol_version = "HTTP/1.1"
    rate = None

    def do_POST(self):
        if self.headers.get("Expect"):
            self.send_response_only(100)
            self.end_headers()
        left = int(self.headers["Content-Length"])
        while left:
            data = self.rfile.read1(min(left, 1 << 20))
            if not data:
                return
            left -= len(data)
            if self.rate:
                time.sleep(len(data) / self.rate)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments):
        pass


class Screen:
    """hoist in a pseudo-terminal, its output read as fast as it comes."""

    def __init__(self, hoist, folder, arguments, columns=120, rows=40, before=()):
        environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=f"{folder}/run", TERM="xterm-256color", LANG="C.UTF-8")
        self.process, self.fd = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(folder)
            command = [*before, hoist, *arguments]
            os.execvpe(command[0], command, environment)
        self.total = self.frames = 0
        self.text = b""

    def read(self, timeout):
        """Reads what is there within the time; false where nothing came."""
        ready, _, _ = select.select([self.fd], [], [], timeout)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.total += len(data)
        # The end of a frame may be cut.
        self.frames += (self.text[1 - len(FRAME):] + data).count(FRAME)
        self.text = (self.text + data)[-200000:]
        return bool(data)

    def wait(self, text, seconds=60):
        end = time.time() + seconds
        while text not in self.text:
            if time.time() > end:
                raise SystemExit(f"waited in vain for {text!r}: {self.text[-2000:]!r}")
            self.read(0.1)

    def press(self, key):
        os.write(self.fd, key)

    def cpu(self):
        fields = open(f"/proc/{self.process}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def switches(self):
        """How often each thread was given a processor so far."""
        counts = {}
        for task in os.listdir(f"/proc/{self.process}/task"):
            with open(f"/proc/{self.process}/task/{task}/status") as status:
                lines = [line for line in status if "ctxt_switches" in line]
            counts[task] = sum(int(line.split()[1]) for line in lines)
        return counts

    def wakeups(self, seconds):
        """How often its threads wake up. Those that Dispatch lets go meanwhile do not count."""
        before = self.switches()
        time.sleep(seconds)
        after = self.switches()
        assert set(after) <= set(before), "an idle hoist has started a thread"
        return sum(after[task] - before[task] for task in after)

    def leave(self):
        # With whatever it was started by.
        os.killpg(self.process, signal.SIGTERM)
        while self.read(5):
            pass
        os.waitpid(self.process, 0)


class Echo:
    """cat in a pseudo-terminal: a program that does nothing but answer a key, for comparison."""

    def __init__(self):
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.execvp("cat", ["cat"])
        attributes = termios.tcgetattr(self.fd)
        attributes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self.fd, termios.TCSANOW, attributes)

    def latency(self):
        start = time.perf_counter()
        os.write(self.fd, b"j")
        select.select([self.fd], [], [], 1)
        os.read(self.fd, 100)
        return (time.perf_counter() - start) * 1000

    def leave(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def latencies(screen, echo, count, keys):
    """From a key to the end of the frame in which the cursor has followed it, and what cat takes to
    answer one at the same time, in milliseconds."""
    found, bare = [], []
    for index in range(count):
        # Whatever progress is on its way has come before the key is pressed.
        while screen.read(0):
            pass
        screen.text = b""
        start = time.perf_counter()
        screen.press(keys[index // 5 % 2])
        while FRAME not in screen.text.partition(CURSOR)[2]:
            screen.read(0.1)
            # Progress may go on for ever where the cursor cannot move.
            if time.perf_counter() - start > 5:
                raise SystemExit(f"the cursor did not follow {keys[index // 5 % 2]!r}")
        found.append((time.perf_counter() - start) * 1000)
        bare.append(echo.latency())
        screen.read(0.013)
    return sorted(found), sorted(bare)


def at_most(go):
    """What 99 of 100 keys of a go do not exceed."""
    return go[0][len(go[0]) * 99 // 100]
