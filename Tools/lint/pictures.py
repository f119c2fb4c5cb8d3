#!/usr/bin/env python3
"""Checks that the pictures in docs/pictures show what is drawn today: make lint.

What a screen looks like is kept in the golden frames, which the tests compare with what is drawn. So each label of a
picture (a heading, a key's name, a state) has to stand in one of them or in a text of the sources, and tabs and
headings of columns have to stand together as they do in one of them. What differs from run to run is left out: names of
files, sizes, times and addresses. `make pictures` takes the pictures anew.

usage: pictures.py [FOLDER]    FOLDER: another project
"""

import collections
import html
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../../..").resolve()
CELL = 8.4  # as in Tools/documents/pictures.py
TEXT = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', re.S)
# What lines and boxes are drawn with, and what stands at least two cells apart.
GAP = re.compile(r"  +|[\u2500-\u259f\u2800-\u28ff]+")


def rows(picture: str) -> list[str]:
    """The lines of text that a picture shows."""
    lines = collections.defaultdict(str)
    for x, y, text in TEXT.findall(picture):
        lines[float(y)] = lines[float(y)].ljust(round((float(x) - 12) / CELL)) + html.unescape(text)
    return [lines[y] for y in sorted(lines)]


def labels(line: str) -> list[str]:
    """The texts of a line that are the same in each run."""
    cells = [cell.strip() for cell in GAP.split(line)]
    return [cell for cell in cells if len(cell) >= 3 and not re.search(r'[\d/.:{}"(…]', cell)]


def together(line: str) -> list[str]:
    """Tabs, and headings of columns, which belong together."""
    found = re.findall(r"1 [A-Z][a-z]+(?:  \d [A-Z][a-z]+)+", line)
    headings = [cell.strip() for cell in GAP.split(line) if cell.strip()]
    if len(headings) > 2 and all(re.fullmatch(r"[A-Z]+( [▲▼])?", heading) for heading in headings):
        found.append(" ".join(headings))
    return found


def main() -> int:
    frames = [line for file in ROOT.glob("Tests/*/Goldens/*.txt") for line in file.read_text().splitlines()]
    drawn = {label for line in frames for label in labels(line)}
    groups = {group for line in frames for group in together(line)}
    sources = "\n".join(
        file.read_text() for file in [*ROOT.glob("Sources/**/*.swift"), *ROOT.glob("Tools/documents/*.py")])
    texts = "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', sources))
    count = 0
    for picture in sorted(ROOT.glob("docs/pictures/*.svg")):
        faults = []
        for line in rows(picture.read_text()):
            faults += [label for label in labels(line) if label not in drawn and label not in texts]
            faults += [group for group in together(line) if group not in groups]
        for fault in dict.fromkeys(faults):
            print(f"{picture.relative_to(ROOT)}: shows \"{fault}\", which is not drawn today; make pictures")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
