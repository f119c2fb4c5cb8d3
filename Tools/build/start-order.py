#!/usr/bin/env python3
"""Lists the functions that hoist runs when it sends files, by itself or from the queue, for the linker to lay side by side.

  Tools/build/start-order.py PROGRAM > names    (make start-order)

The kernel maps a program in portions of 64 KiB. With these functions all over the program, a push maps most of it. What runs
for each file comes first, since a processor knows the addresses of few pages at a time, and what only the queue needs
comes last.
callgrind tells which functions ran. A name that a later program lacks is ignored, and a new function lies elsewhere
until the list is made anew.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

# How many small files are sent to find out what runs for each of them.
SMALL = 200


def functions(trace, program):
    """How often the program's own functions were called in a trace, by their names as the linker knows them."""
    names, objects, found, calls, is_ours = {}, {}, set(), {}, False
    callee = None
    with open(trace, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("calls=") and callee is not None:
                calls[callee] = calls.get(callee, 0) + int(line[6:].split()[0])
            entry = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
            if not entry:
                continue
            called, kind, number, text = entry.groups()
            known = objects if kind == "ob" else names
            if text:
                known[number] = text.rstrip()
            if called:
                callee = number if kind == "fn" else callee
                continue
            if kind == "ob":
                is_ours = os.path.realpath(objects[number]) == program
            elif is_ours:
                # callgrind counts the levels of a recursion: name'2.
                found.add(number)
    result = {}
    for number in found:
        name = re.sub(r"'\d+$", "", names[number])
        if not name.startswith(("0x", "(")):
            result[name] = result.get(name, 0) + calls.get(number, 0)
    return result


def main():
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.mkdir(home)
        environment = {"HOME": home, "PATH": os.environ["PATH"], "TMPDIR": folder}
        file = os.path.join(folder, "file.bin")
        with open(file, "wb") as content:
            content.write(os.urandom(3 << 20))
        small = os.path.join(folder, "small")
        os.mkdir(small)
        for number in range(SMALL):
            with open(os.path.join(small, f"{number}.jpg"), "wb") as content:
                content.write(os.urandom(10_000))
        receiver = subprocess.Popen([program, "receive", "--port", "0", "--dir", os.path.join(folder, "inbox")],
                                    env=environment, stdout=subprocess.PIPE, text=True)
        url = re.search(r"http://\S+", receiver.stdout.readline()).group()

        def traced(name, *arguments):
            """The functions that a command runs."""
            subprocess.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no", "--trace-children=yes",
                            f"--callgrind-out-file={folder}/{name}.%p", program, *arguments], env=environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            traces = [os.path.join(folder, entry) for entry in os.listdir(folder) if entry.startswith(f"{name}.")]
            result = {}
            for trace in traces:
                for function, calls in functions(trace, program).items():
                    result[function] = result.get(function, 0) + calls
            return result

        try:
            # The second push finds a history.
            pushing = set(traced("first", "push", file, "--to", url)) | set(traced("second", "push", file, "--to", url))
            often = {name for name, calls in traced("small", "push", "-r", small, "--to", url).items() if calls >= SMALL // 2}
            subprocess.run([program, "add", file, "--to", url], env=environment, stdout=subprocess.DEVNULL, check=True)
            sending = set(traced("send", "send"))
        finally:
            receiver.send_signal(signal.SIGINT)
            receiver.wait()
    if len(pushing) < 1000:
        sys.exit(f"start-order: only {len(pushing)} functions in the trace; is {program} stripped?")
    print("\n".join(sorted(often) + sorted(pushing - often) + sorted(sending - pushing - often)))


main()
