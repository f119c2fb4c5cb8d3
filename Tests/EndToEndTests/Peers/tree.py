"""Makes a tree of folders and files in the folder "tree", with names that are hard to put into addresses.

usage: tree.py FOLDERS FILES
"""
import os
import random
import sys

random.seed(71)
wanted, files = int(sys.argv[1]), int(sys.argv[2])
hard = [b"a#b", b"100%", b"two  blanks", "\u00fcber".encode(), b"f\xfcr", b"q?x", b"50%25", b"[z];&=+"]
folders = [b""]
while len(folders) < wanted:
    number = len(folders) - 1
    name = hard[number] if number < len(hard) else b"d%d" % number
    folders.append(random.choice(folders[-12:]) + name + b"/")
for folder in folders:
    os.makedirs(b"tree/" + folder, exist_ok=True)
for number in range(files):
    name = hard[number % 8] if number % 40 < 8 else b"f"
    with open(b"tree/%s%s-%d.txt" % (folders[number % wanted], name, number), "wb") as file:
        file.write(random.randbytes(random.choice([0, 10, 1000, 20000])))
