"""What these measurements share: a server that takes all that comes, what a command takes, and how curl sends files."""
import functools, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
programs = tempfile.TemporaryDirectory(prefix="hoist-bench-programs-")


@functools.cache
def program(name, *options):
    """The path of a program in C beside this file, compiled."""
    path = os.path.join(programs.name, name)
    subprocess.run(["cc", "-O2", "-pthread", "-o", path, f"{HERE}/{name}.c", *options], check=True)
    return path


def measure(command, environment=None):
    """Runs a command; returns (wall seconds, CPU seconds, peak bytes)."""
    run = subprocess.run([program("measure"), *command], env=environment, capture_output=True)
    if run.returncode:
        sys.exit(f"{command[:4]}… ended with {run.returncode}:\n{run.stderr.decode()[-2000:]}")
    wall, cpu, peak = run.stdout.split()
    return float(wall), float(cpu), int(peak)


class Sink:
    """A server that discards what it gets. Its options are those of sink.c."""

    def __init__(self, *options):
        self.process = subprocess.Popen([program("sink"), *options], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/upload"

    def kill(self):
        self.process.kill()
        self.process.wait()


def curl_command(listing, files, url, lanes, batch=1, lines=()):
    """How curl sends files as forms, one transfer for each file or batch of files, by a list that is written here. It has
    the options for each transfer, since `next` forgets those of the one before."""
    with open(listing, "w") as out:
        for start in range(0, len(files), batch):
            if start:
                out.write("next\n")
            out.write("\n".join([f'url = "{url}"', 'output = "/dev/null"', *lines, ""]))
            out.writelines(f'form = "file=@{file}"\n' for file in files[start : start + batch])
    # One file needs no --parallel, and curl is quicker without it.
    many = ["--parallel", "--parallel-max", str(lanes), "--parallel-immediate"] if lanes > 1 and len(files) > 1 else []
    return ["curl", "-sS", *many, "--config", listing]
