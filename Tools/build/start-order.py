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


class Trace:
    """What a trace says about the program's own functions, by their names as the linker knows them."""

    def __init__(self):
        # How often each was called, how many instructions it ran by itself, and how often it called which others.
        self.calls, self.cost, self.edges = {}, {}, {}

    def add(self, path, program):
        names, objects, is_ours, is_call = {}, {}, False, False
        caller = callee = None
        ours, calls, cost, edges = set(), {}, {}, {}
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("calls="):
                    count, is_call = int(line[6:].split()[0]), True
                    calls[callee] = calls.get(callee, 0) + count
                    edges[caller, callee] = edges.get((caller, callee), 0) + count
                    continue
                entry = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
                if entry:
                    called, kind, number, text = entry.groups()
                    known = objects if kind == "ob" else names
                    if text:
                        known[number] = text.rstrip()
                    if called:
                        callee = number if kind == "fn" else callee
                    elif kind == "ob":
                        is_ours = os.path.realpath(objects[number]) == program
                    else:
                        caller = number
                        if is_ours:
                            ours.add(number)
                elif line[:1].isdigit() or line[:1] in "+-*":
                    # The line after a call has what the callee ran.
                    if not is_call:
                        cost[caller] = cost.get(caller, 0) + int(line.split()[-1])
                    is_call = False

        def name(number):
            # callgrind counts the levels of a recursion: name'2.
            text = re.sub(r"'\d+$", "", names[number])
            return None if number not in ours or text.startswith(("0x", "(")) else text

        for number in ours:
            if name(number):
                self.calls[name(number)] = self.calls.get(name(number), 0) + calls.get(number, 0)
                self.cost[name(number)] = self.cost.get(name(number), 0) + cost.get(number, 0)
        for (one, other), count in edges.items():
            pair = name(one), name(other)
            if all(pair) and pair[0] != pair[1]:
                self.edges[pair] = self.edges.get(pair, 0) + count


def chained(names, trace):
    """Functions in an order in which each follows the one that calls it most, so that code is read in one go."""
    chains = {name: [name] for name in names}
    callers = {}
    for (caller, callee), count in trace.edges.items():
        if caller in chains and callee in chains and count > callers.get(callee, (0, None))[0]:
            callers[callee] = (count, caller)
    # The busiest come first, so that they lie closest to their callers.
    for name in sorted(callers, key=lambda name: (-trace.cost[name], name)):
        front, back = chains[callers[name][1]], chains[name]
        # Only the first function of a chain has no place yet.
        if front is back or back[0] != name:
            continue
        front += back
        for moved in back:
            chains[moved] = front
    # The busiest chains come first.
    unique = {id(chain): chain for chain in chains.values()}.values()
    return [name for chain in sorted(unique, key=lambda chain: (-max(trace.cost[name] for name in chain), chain)) for name in chain]


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
            """What a command runs."""
            subprocess.run(["valgrind", "-q", "--tool=callgrind", "--demangle=no", "--trace-children=yes",
                            f"--callgrind-out-file={folder}/{name}.%p", program, *arguments], env=environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            traces = [os.path.join(folder, entry) for entry in os.listdir(folder) if entry.startswith(f"{name}.")]
            result = Trace()
            for trace in traces:
                result.add(trace, program)
            return result

        try:
            # The second push finds a history.
            pushing = {name for run in ("first", "second") for name in traced(run, "push", file, "--to", url).calls}
            many = traced("small", "push", "-r", small, "--to", url)
            often = {name for name, calls in many.calls.items() if calls >= SMALL // 2}
            subprocess.run([program, "add", file, "--to", url], env=environment, stdout=subprocess.DEVNULL, check=True)
            sending = set(traced("send", "send").calls)
        finally:
            receiver.send_signal(signal.SIGINT)
            receiver.wait()
    if len(pushing) < 1000:
        sys.exit(f"start-order: only {len(pushing)} functions in the trace; is {program} stripped?")
    print("\n".join(chained(often, many) + sorted(pushing - often) + sorted(sending - pushing - often)))


main()
