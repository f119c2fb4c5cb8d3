"""A long line on one machine: a network of its own whose one other address leads back here, with a delay each way and,
if wanted, packets that are lost.

What is sent to THERE comes out of a tunnel, waits, and goes back in with its two addresses exchanged. So a server that
listens at HERE is reached at THERE, and each of the two sees the other at the far end of the line.
"""

import collections
import fcntl
import os
import random
import struct
import subprocess
import threading
import time

HERE, THERE = "10.77.0.1", "10.77.0.2"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000


class Line:
    """The line, in the network namespace of the calling process, which it may change."""

    def __init__(self, delay, loss=0.0, seed=0, carrier=None, uplink=()):
        """`delay` is in seconds each way; `loss` is the share of packets that are lost. `carrier` is the program that
        carries the packets (Benchmarks/upload/line.c), if they are too many for Python, and `uplink` what it is told of
        the line to the server: the port, bytes a second, and the seconds of its queue."""
        self.delay, self.loss, self.random = delay, loss, random.Random(seed)
        self.tunnel = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tunnel, TUNSETIFF, struct.pack("16sH22x", b"line", IFF_TUN | IFF_NO_PI))
        for words in (["addr", "add", HERE, "peer", THERE, "dev", "line"], ["link", "set", "line", "up"],
                      ["link", "set", "lo", "up"],
                      # Most systems' own; BBR, which some have, hardly minds packets that are lost.
                      ["route", "change", THERE, "dev", "line", "src", HERE, "congctl", "cubic"]):
            subprocess.run(["ip", *words], check=True)
        self.carrier = None
        if carrier:
            words = [carrier, *map(str, [self.tunnel, delay, loss, *uplink])]
            self.carrier = subprocess.Popen(words, pass_fds=[self.tunnel])
            return
        self.packets = collections.deque()
        self.arrived = threading.Condition()
        threading.Thread(target=self.take, daemon=True).start()
        threading.Thread(target=self.give, daemon=True).start()

    def take(self):
        while True:
            packet = os.read(self.tunnel, 65536)
            # IPv4 only. A sum over both addresses does not change when they change places.
            if packet[0] >> 4 == 4 and self.random.random() >= self.loss:
                with self.arrived:
                    self.packets.append((time.monotonic() + self.delay, packet))
                    self.arrived.notify()

    def give(self):
        while True:
            with self.arrived:
                while not self.packets:
                    self.arrived.wait()
                due, packet = self.packets.popleft()
            time.sleep(max(0, due - time.monotonic()))
            os.write(self.tunnel, packet[:12] + packet[16:20] + packet[12:16] + packet[20:])

    def close(self):
        """Takes the line away, if a program carries its packets."""
        self.carrier.kill()
        self.carrier.wait()
        os.close(self.tunnel)
