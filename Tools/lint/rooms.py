#!/usr/bin/env python3
"""Checks that the house is in the order that CONTRIBUTING.md describes: make lint.

- The map's rooms and what they import are those of Package.swift, outside packages included.
- No folder has more than 25 Swift files.
- A type of 15 lines or more that more than one file sees lies in the file of its name.
- Requests are made by UploadSession's `task(_:delegate:)` alone. What URLSession has for that would make Foundation's
  own tasks, which count as sent what has only reached a buffer.

usage: rooms.py [FOLDER [DUMP]]    FOLDER: another project; DUMP: a file with its `swift package dump-package`
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../../..").resolve()
MOST_FILES = 25
LEAST_LINES = 15


def package() -> dict[str, set[str]]:
    """The rooms that Package.swift has in Sources, and what each one imports."""
    if len(sys.argv) > 2:
        dump = pathlib.Path(sys.argv[2]).read_text()
    else:
        # A scratch path of its own: the usual one may be locked by a build.
        with tempfile.TemporaryDirectory() as scratch:
            dump = subprocess.run(
                ["swift", "package", "--scratch-path", scratch, "dump-package"],
                cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    rooms = {}
    for target in json.loads(dump)["targets"]:
        if target["type"] != "test" and not target.get("path"):
            imports = set()
            for dependency in target["dependencies"]:
                # A target by its name, or a product and the package that it comes from.
                imports.add((dependency.get("byName") or dependency.get("target") or dependency["product"][1:])[0])
            rooms[target["name"]] = imports
    return rooms


def drawn() -> dict[str, set[str]]:
    """The rooms on CONTRIBUTING's map, and what each one imports."""
    rooms = {}
    for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines():
        cells = line.split("|")
        if len(cells) == 6 and cells[1].lstrip().startswith("`"):
            for name in re.findall(r"`([^`]+)`", cells[1]):
                rooms[name] = set(re.findall(r"`([^`]+)`", cells[3]))
    return rooms


def compare(real: dict[str, set[str]], drawn: dict[str, set[str]]) -> list[str]:
    faults = [f"the map has no room {name}" for name in sorted(real.keys() - drawn.keys())]
    faults += [f"the map has a room {name}, Package.swift has none" for name in sorted(drawn.keys() - real.keys())]
    for name in sorted(real.keys() & drawn.keys()):
        faults += [f"{name} imports {other}, which the map does not say" for other in sorted(real[name] - drawn[name])]
        faults += [f"the map says that {name} imports {other}" for other in sorted(drawn[name] - real[name])]
    return faults


def sizes() -> list[str]:
    folders = collections.Counter(file.parent for file in (ROOT / "Sources").rglob("*.swift"))
    return [
        f"{folder.relative_to(ROOT)} has {count} Swift files; at most {MOST_FILES} hold one idea"
        for folder, count in sorted(folders.items()) if count > MOST_FILES
    ]


def strays() -> list[str]:
    """Types that cannot be found by the names of the files."""
    pattern = re.compile(
        r"(?ms)^(?:(?:public|package|final|nonisolated|indirect|@\w+) )*"
        r"(?:struct|class|enum|protocol|actor) (\w+)(.*?(?:^\}|\}$))")
    return [
        f"{file.relative_to(ROOT)} has the type {name}, which belongs into {name}.swift"
        for file in sorted((ROOT / "Sources").rglob("*.swift"))
        for name, body in pattern.findall(file.read_text())
        if name != file.stem.split("+")[0] and body.count("\n") + 1 >= LEAST_LINES
    ]


FOUNDATIONS = re.compile(
    # URLSession's methods that make tasks, its `async` ones, and sessions of its own.
    r"\.(?:data|upload|download|stream|webSocket)Task\b"
    r"|\.(?:data|upload|download|bytes)\s*\(\s*(?:for|from|resumeFrom)\s*:"
    r"|\bURLSession\s*(?:\(|\.(?:init|shared)\b)")


def foundations() -> list[str]:
    """Requests that Foundation would carry."""
    faults = []
    for file in sorted((ROOT / "Sources").rglob("*.swift")):
        # Without the comments, but not what follows a URL's colon.
        text = re.sub(r"(?<!:)//.*", "", file.read_text())
        for match in FOUNDATIONS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            faults.append(
                f"{file.relative_to(ROOT)}:{line}: {match.group(0)} makes a request of Foundation's; "
                "UploadSession's task(_:delegate:) makes ours")
    return faults


def main() -> int:
    faults = compare(package(), drawn()) + sizes() + strays() + foundations()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
