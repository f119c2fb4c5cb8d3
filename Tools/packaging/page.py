#!/usr/bin/env python3
"""Prints a page of the documents as it is installed: its links lead to the places that install.sh gives the files, and a
link to a file that is not installed is plain text.
    Tools/packaging/page.py PAGE
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path(sys.argv[1]).resolve()


def placed(link: re.Match[str]) -> str:
    text, address = link.groups()
    if re.match(r"[a-z]+:|#", address):
        return link[0]
    file = (PAGE.parent / address.partition("#")[0]).resolve().relative_to(ROOT)
    if file.parts[0] == "config":
        return f"[{text}]({address.replace('config/', 'examples/', 1)})"
    return link[0] if file.parts[0] == "docs" or file.name == "CHANGELOG.md" else text


sys.stdout.write(re.sub(r"\[([^][]*)\]\(([^)\s]+)\)", placed, PAGE.read_text()))
