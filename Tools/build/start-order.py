#!/usr/bin/env python3
"""Lists the functions that hoist runs when it sends a file, by itself or from the queue, for the linker to lay side by side.

  Tools/build/start-order.py PROGRAM > names    (make start-order)

The kernel maps a program in portions of 64 KiB. With these functions all over the program, a push maps most of it. What only
the queue needs comes last.
callgrind tells which functions ran. A name that a later program lacks is ignored, and a new function lies elsewhere
until the list is made anew.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile


def functions(trace, program):
    """The names of the program's own functions in a trace, as the linker knows them."""
    names, objects, found, is_ours = {}, {}, set(), False
    with open(trace, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            entry = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
            if not entry:
                continue
            called, kind, number, text = entry.groups()
            known = objects if kind == "ob" else names
            if text:
                known[number] = text.rstrip()
            if called:
                continue
            if kind == "ob":
                is_ours = os.path.realpath(objects[number]) == program
            elif is_ours:
                # callgrind counts the levels of a recursion: name'2.
                found.add(re.sub(r"'\d+$", "", names[number]))
    return {name for name in found if not name.startswith(("0x", "("))}


def main():
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home)
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TMPDIR": folder}
        file = os.path.join(folder, "file.bin")
        with open(file, "wb") as content:
            content.write(os.urandom(3 << 20))
        receiver = subprocess.Popen([program, "receive", "--port", "0", "--dir", os.path.join(folder, "inbox")],
                                    env=environment, stdout=subprocess.PIPE, text=True)
        url = re.search(r"http://\S+", receiver.stdout.readline()).group()

        def traced(name, *arguments):
            """The functions that a command runs."""
            subprocess.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no", "--trace-children=yes",
                            f"--callgrind-out-file={folder}/{name}.%p", program, *arguments], env=environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            traces = [os.path.join(folder, entry) for entry in os.listdir(folder) if entry.startswith(f"{name}.")]
            return set().union(*(functions(trace, program) for trace in traces))

        try:
            # The second push finds a history.
            pushing = traced("first", "push", file, "--to", url) | traced("second", "push", file, "--to", url)
            subprocess.run([program, "add", file, "--to", url], env=environment, stdout=subprocess.DEVNULL, check=True)
            sending = traced("send", "send")
        finally:
            receiver.send_signal(signal.SIGINT)
            receiver.wait()
    if len(pushing) < 1000:
        sys.exit(f"start-order: only {len(pushing)} functions in the trace; is {program} stripped?")
    print("\n".join(sorted(pushing) + sorted(sending - pushing)))


main()
