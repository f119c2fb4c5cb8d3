#!/usr/bin/env python3
"""Checks that the house is in the order that CONTRIBUTING.md describes: make lint.

- The map's rooms and what they import are those of Package.swift, outside packages included.
- Each target's files import what it declares in Package.swift or what comes with Swift, and nothing else. A debug build
  finds modules that are not declared, also those of outside packages, and says nothing of declared ones that are not
  used.
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
# The modules that come with Swift and are used here.
TOOLCHAIN = {"Dispatch", "Foundation", "FoundationNetworking", "Glibc", "PackagePlugin", "Synchronization", "Testing"}
MOST_FILES = 25
LEAST_LINES = 15


def package() -> list[dict]:
    """The targets that Package.swift declares."""
    if len(sys.argv) > 2:
        dump = pathlib.Path(sys.argv[2]).read_text()
    else:
        # A scratch path of its own: the usual one may be locked by a build.
        with tempfile.TemporaryDirectory() as scratch:
            dump = subprocess.run(
                ["swift", "package", "--scratch-path", scratch, "dump-package"],
                cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return json.loads(dump)["targets"]


def rooms(targets: list[dict]) -> dict[str, set[str]]:
    """The rooms among these targets, which are those in Sources, and what each one imports."""
    return {
        # A target by its name, or a product's package.
        target["name"]: {
            (dependency.get("byName") or dependency.get("target") or dependency["product"][1:])[0]
            for dependency in target["dependencies"]
        }
        for target in targets if target["type"] != "test" and not target.get("path")
    }


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


IMPORT = re.compile(
    r"(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|fileprivate|private) +)?import +"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var) +)?(\w+)")

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def imports(file: pathlib.Path) -> list[tuple[int, str]]:
    """The modules that a file imports, each with its line."""
    found, is_text, depth = [], False, 0
    for number, line in enumerate(file.read_text().splitlines(), 1):
        # Lines of a string, or of a comment of several lines.
        if not is_text and not depth:
            for statement in STRING.sub('""', line).split(";"):
                if match := IMPORT.match(statement.strip()):
                    found.append((number, match[1]))
        is_text ^= line.count('"""') % 2 == 1
        if not is_text and (depth or line.lstrip().startswith("/*")):
            depth = max(0, depth + line.count("/*") - line.count("*/"))
    return found


def declarations(targets: list[dict]) -> list[str]:
    """Imports that Package.swift does not declare, and declarations that no file needs."""
    # A product is taken to have a module of its name, as all of ours do.
    declared = {
        target["name"]: {
            (dependency.get("byName") or dependency.get("target") or dependency["product"])[0]
            for dependency in target["dependencies"]
        }
        for target in targets
    }
    # A test may depend on a program only to run it.
    programs = {target["name"] for target in targets if target["type"] == "executable"}
    faults = []
    for target in targets:
        name = target["name"]
        if target["type"] == "plugin":
            continue
        folder = ROOT / (target.get("path") or ("Tests" if target["type"] == "test" else "Sources") + f"/{name}")
        excluded = [folder / path for path in target.get("exclude", [])]
        used = set()
        for file in sorted(folder.rglob("*.swift")):
            if any(file.is_relative_to(path) for path in excluded):
                continue
            for line, module in imports(file):
                used.add(module)
                if module not in declared[name] | TOOLCHAIN | {name}:
                    faults.append(
                        f"{file.relative_to(ROOT)}:{line}: imports {module}, which {name} does not declare in Package.swift")
        faults += [
            f"Package.swift: {name} declares {module}, which no file in {folder.relative_to(ROOT)} imports"
            for module in sorted(declared[name] - used - (programs if target["type"] == "test" else set()))
        ]
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
    targets = package()
    faults = compare(rooms(targets), drawn()) + declarations(targets) + sizes() + strays() + foundations()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
