#!/usr/bin/env python3
"""Looks for links in the documents that lead nowhere: make lint.

A link to a file must name one that is there, and its part after # a heading of that page.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("Examples/*.md")])


def anchors(page: pathlib.Path) -> set[str]:
    """What headings are called in links, as GitHub makes it of their text."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", page.read_text()))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def main() -> int:
    faults = 0
    for page in PAGES:
        text = re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", page.read_text())
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                fault = "there is no such file"
            elif anchor and anchor not in anchors(target):
                fault = "the page has no such heading"
            else:
                continue
            print(f"{page.relative_to(ROOT)}: {link}: {fault}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
