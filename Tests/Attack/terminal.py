#!/usr/bin/env python3
"""A terminal with a program in it: terminal.py PROGRAM ARGUMENT... Its end closes the terminal."""

import os
import pty
import sys

process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        if not os.read(terminal, 65536):
            break
    except OSError:
        break
# The program has ended.
os.waitpid(process, 0)
