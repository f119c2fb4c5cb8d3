#!/usr/bin/env python3
"""Looks for text that is handled by `Character` where its bytes count: make lint.

A `Character` of Swift is a grapheme cluster. `split(separator: "/")`, `hasPrefix("/")` or `replacing("'", …)` see no
slash and no quote where a combining mark, a joiner or a variation selector follows it; a shell, a file system and a
server do. In rooms that escape, quote, split, hide, parse or compare for safety, text goes through `utf8`,
`unicodeScalars`, or the room `ScalarText`, whose methods say `scalar:` or `scalars:`.

A line that is right as it is says so at its end: `// by Character`, or `// not text` for arrays and the like. A file
that says `// All text in here is Unicode scalars.` may compare elements, for they are no characters. The rooms that
lay text out on a screen are right to think in characters; of them only what parses is looked at.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../../../Sources").resolve()
ROOMS = [
    "Commands", "FileDiscovery", "HTTPTransport", "MediaTypes", "MultipartForm", "MultipartFormCodable", "Receiver", "ReceiverDemos", "Queue", "Resuming", "ScalarText", "Scheduling", "Settings", "Terminal", "UploadEngine",
    "UploadModel", "UploadStore", "hoist", "Screens/Reduce/CommandLine.swift",
    "Screens/Reduce/PastedPaths.swift",
]

QUOTE = r'#*"'
CALLS = [
    rf"\.split\(\s*separator:\s*{QUOTE}",
    rf"\.split\s*(?:\([^)]*\))?\s*\{{\s*\$0 == {QUOTE}",
    r"\.has(?:Prefix|Suffix)\(\s*(?!scalars:)",
    rf"\.(?:replacing|trimmingPrefix|firstRange|ranges|range)\(\s*(?:of:\s*)?{QUOTE}",
    r"\.replacingOccurrences\(",
    r"\.components\(\s*separatedBy:",
    r"\.trimmingCharacters\(",
    rf"\.contains\(\s*{QUOTE}",
    rf"\.(?:first|last)Index\(\s*of:\s*{QUOTE}",
    rf"\.(?:prefix|drop)\s*(?:\(while:\s*)?\{{\s*\$0 [!=]= {QUOTE}",
    rf"\.(?:first|last) == {QUOTE}",
    rf"{QUOTE}(?:[^\"\\\n]|\\.)+\"\.contains\(",
]
# Methods that a collection of scalars has as well, and those of text alone.
CALL = re.compile("|".join(f"(?:{call})" for call in CALLS))
TEXT_ONLY = re.compile(CALLS[2] + "|" + CALLS[4] + "|" + CALLS[5] + "|" + CALLS[6])
IS_SCALARS = "// All text in here is Unicode scalars."
# What may be said of a collection that does not consist of Characters.
RIGHT = re.compile(r"utf8|unicodeScalars|[Ss]calars?\b|[Bb]ytes|UInt8|// by Character|// not text")


def statement(text: str, place: int) -> str:
    """The lines from where the expression begins to the end of the call's line."""
    start = text.rfind("\n", 0, place) + 1
    while text[start:].lstrip(" ").startswith("."):
        start = text.rfind("\n", 0, start - 1) + 1
    end = text.find("\n", place)
    while text[place:end].count("(") > text[place:end].count(")") and text.find("\n", end + 1) > 0:
        end = text.find("\n", end + 1)
    return text[start:end]


def code(text: str) -> str:
    """The text with its comments blanked, but for the marks above."""
    return re.sub(r"(?m)(?<!:)//(?! by Character| not text).*$", lambda m: " " * len(m.group(0)), text)


def main() -> int:
    faults = 0
    for room in ROOMS:
        path = ROOT / room
        for file in [path] if path.is_file() else sorted(path.rglob("*.swift")):
            source = file.read_text()
            text = code(source)
            for match in (TEXT_ONLY if IS_SCALARS in source else CALL).finditer(text):
                if RIGHT.search(statement(text, match.start())):
                    continue
                line = text.count("\n", 0, match.start()) + 1
                print(f"{file.relative_to(ROOT.parent)}:{line}: {match.group(0).strip()}…: text by Character")
                faults += 1
    if faults:
        print("a combining mark hides what is looked for there: use utf8, unicodeScalars or ScalarText")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
