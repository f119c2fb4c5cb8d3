#!/usr/bin/env python3
"""Attacks the real program and counts what held: make attack.

Kills, closed terminals, files that change while they are sent, connections that end under a request, raw requests at
the receiver, slow readers, slow clients, a full disk, odd trees.
The servers are this script's own and listen on loopback only. A count that does not hold is named, and the exit
status is 1.
"""

import argparse
import concurrent.futures
import os
import signal
import sys
import time

import after
import background
import changes
import disk
import ends
import folders
import kills
import pieces
import power
import raw
import resuming
import signals
import slow
import trees
import tus_peers

ATTACKS = {"kills": kills.run, "power": power.run, "background": background.run, "resuming": resuming.run, "tus": tus_peers.run,
           "pieces": pieces.run, "folders": folders.run, "after": after.run,
           "changes": changes.run, "ends": ends.run, "raw": raw.run, "clients": slow.clients, "disk": disk.run,
           "trees": trees.run, "readers": slow.readers, "signals": signals.run}
BESIDE = {"readers"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", help="the program")
    parser.add_argument("--quick", action="count", default=0,
                        help="a tenth of everything; given twice, only a few of each where they take long")
    parser.add_argument("--only", choices=ATTACKS, action="append", help="only this attack; may be repeated")
    parser.add_argument("--seed", type=int, default=17, help="the random moments are the same in each run")
    options = parser.parse_args()
    hoist = os.path.abspath(options.hoist)
    if not os.access(hoist, os.X_OK):
        parser.error(f"{options.hoist} is no program: run make build first")
    # Under nohup, a closed terminal would end nothing.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    chosen = {name: attack for name, attack in ATTACKS.items() if name in (options.only or ATTACKS)}
    broken = []
    with concurrent.futures.ThreadPoolExecutor() as pool:
        # These mostly wait, so the others need not wait for them.
        beside = {name: pool.submit(lambda attack=attack: list(attack(hoist, options.seed, options.quick)))
                  for name, attack in chosen.items() if name in BESIDE}
        for name, attack in chosen.items():
            began = time.monotonic()
            counts = beside[name].result() if name in beside else attack(hoist, options.seed, options.quick)
            for count in counts:
                if not count.show():
                    broken.append(count.name)
            print(f"  ({name}: {time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
    if broken:
        print(f"did not hold: {', '.join(broken)}", flush=True)
        sys.exit(1)
    print("everything held", flush=True)


if __name__ == "__main__":
    main()
