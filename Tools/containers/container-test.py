#!/usr/bin/env python3
"""Runs the instructions of the Containerfile without a container engine, in a Debian in a folder: make deb-test.

  Tools/containers/container-test.py SYSTEM PACKAGE    SYSTEM: a bare Debian; PACKAGE: to install

Its shell runs the RUN lines; then each stage's command runs as the stage's user with its environment, is checked as the
HEALTHCHECK says, sends or receives, and is ended by SIGTERM. What only an engine does (layers, volumes, ports) is not
tested.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FILE = pathlib.Path(__file__).resolve().parent / "Containerfile"


def stages():
    """The instructions of each stage, after those of the stages that it builds on."""
    text = re.sub(r"\\\n", "", re.sub(r"(?m)^#.*\n", "", FILE.read_text()))
    found = {}
    for line in filter(None, text.splitlines()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.split()
            found[name] = list(found.get(base, []))
        else:
            found[name].append((word, rest))
    return found


class Container:
    def __init__(self, system, instructions):
        self.system = system
        self.user, self.folder, self.health, self.command, self.entry = "0", "/", None, [], []
        self.variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        for word, rest in instructions:
            if word == "ENV":
                self.variables |= dict([rest.split("=", 1)])
            elif word == "USER":
                self.user = rest
            elif word == "WORKDIR":
                self.folder = rest
            elif word == "ENTRYPOINT":
                self.entry, self.command = json.loads(rest), []
            elif word == "CMD":
                self.command = json.loads(rest)
            elif word == "HEALTHCHECK":
                self.health = json.loads(rest.removeprefix("CMD "))
            elif word not in ("RUN", "VOLUME", "EXPOSE"):
                sys.exit(f"container-test: {word} is not known here")

    def line(self, command, user=None):
        return ["chroot", f"--userspec={user or self.user}:{user or self.user}", self.system, "env", "-i",
                f"--chdir={self.folder}", *(f"{name}={value}" for name, value in self.variables.items()), *command]

    def run(self, *command):
        return subprocess.run(self.line(command), check=True, stdout=subprocess.PIPE, text=True).stdout

    def start(self, *arguments):
        return subprocess.Popen(self.line(self.entry + (list(arguments) or self.command)))

    def wait_until_well(self, process):
        for _ in range(100):
            if subprocess.run(self.line(self.health), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"container-test: {self.entry} {self.command} is not healthy")


def main(system, package):
    known = stages()
    build = Container(system, [])
    build.variables["DEBIAN_FRONTEND"] = "noninteractive"
    shutil.copy(package, pathlib.Path(system) / "mnt")
    for word, rest in known["hoist"]:
        if word == "RUN":
            line = re.sub(r"^(--mount=\S+ )+", "", rest)
            subprocess.run(build.line(["/bin/sh", "-c", line]), check=True, stdout=subprocess.DEVNULL)
    receiver, sender = Container(system, known["receive"]), Container(system, known["send"])
    processes = []
    try:
        receiving = receiver.start()
        processes.append(receiving)
        receiver.wait_until_well(receiving)
        if receiver.user == "0":
            sys.exit("container-test: the receiver runs as root")
        sending = sender.start()
        processes.append(sending)
        sender.wait_until_well(sending)
        # As `podman exec` would.
        sender.run("sh", "-c", "head -c 3000000 /dev/urandom > a.bin && hoist add a.bin --to http://127.0.0.1:3000/upload")
        for _ in range(300):
            if os.path.exists(f"{system}/inbox/a.bin"):
                break
            time.sleep(0.1)
        sender.run("cmp", "a.bin", "/inbox/a.bin")
        for process in processes:
            # `env` and `chroot` have become the program itself.
            process.terminate()
            if process.wait(timeout=30) != 0:
                sys.exit(f"container-test: {process.args} ended with {process.returncode}")
    finally:
        for process in processes:
            process.kill()
    print("the instructions of the Containerfile install, send and receive, as an unprivileged user")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
