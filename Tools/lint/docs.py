#!/usr/bin/env python3
"""Checks the documents: make lint.

- A link to a file names one that is there, and its part after # a heading of that page.
- What a guide of a library shows as Swift stands in a program that the tests compile and run.
- docs/scripting.md names every code of a failure.
- CHANGELOG.md, README.md and docs/libraries.md name the version of the program.
- docs/recipes.md has a row for each recipe, and says what it was tried against.
- docs/promises.md names the fields of JSON that the sources write, and no others.
- A comment in Swift that names a file by its path in the project names one that is there.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../../..").resolve()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
GUIDES = sorted(ROOT.glob("Sources/*/*.docc/*.md"))
PROGRAMS = sorted([*ROOT.glob("Examples/Sources/*/*.swift"), *ROOT.glob("Tests/*/*Snippet.swift")])


def anchors(page: pathlib.Path) -> set[str]:
    """What headings are called in links, as GitHub makes it of their text."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", page.read_text()))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: pathlib.Path) -> list[str]:
    faults = []
    text = re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", page.read_text())
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            faults.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors(target):
            faults.append(f"{link}: the page has no such heading")
    return faults


def excerpts(guide: pathlib.Path) -> list[str]:
    """The guide's pieces of Swift that no program has, whatever their indentation."""
    programs = [program.read_text() for program in PROGRAMS]
    faults = []
    for piece in re.findall(r"(?ms)^```swift\n(.*?)^```", guide.read_text()):
        lines = textwrap.dedent(piece).splitlines()
        pattern = r"(?m)^( *)" + r"\n\1?".join(re.escape(line) for line in lines) + "$"
        if not any(re.search(pattern, program) for program in programs):
            faults.append(f"no program has this excerpt:\n{piece.rstrip()}")
    return faults


def codes() -> list[str]:
    """The codes of failures that scripts are not told of."""
    page = ROOT / "docs/scripting.md"
    told = page.read_text() if page.exists() else ""
    faults = []
    sources = [*ROOT.glob("Sources/UploadModel/**/*.swift")]
    known = [code for source in sources for code in table(source.read_text())]
    if sources and not known:
        faults.append("Sources/UploadModel: no table of the codes of failures was found")
    for code in known:
        if f"`{code}`" not in told:
            faults.append(f"the code {code} is missing in docs/scripting.md")
    return faults


def table(source: str) -> list[str]:
    """The codes in a table of codes with their headlines."""
    bodies = re.findall(r"(?ms)^( *)(?:private )?var name: \(code: String, .*?\{\n(.*?)^\1\}", source)
    return [code for _, body in bodies for code in re.findall(r'"([a-z-]+)",', body)]


def version() -> list[str]:
    """Where the version of the program is not said."""
    head = ROOT / "Sources/UploadModel/Request/RequestHead.swift"
    if not head.exists():
        return []
    number = re.search(r'static let version = "(.*)"', head.read_text()).group(1)
    faults = []
    latest = re.search(r"(?m)^## (\d\S*) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text())
    if not latest or latest.group(1) != number:
        faults.append(f"CHANGELOG.md: its latest page is not \"## {number} (DATE)\"")
    for page, text in [
        ("docs/libraries.md", f'from: "{number}"'), ("README.md", f"hoist_{number}_amd64.deb"),
        ("README.md", f"hoist-{number}-linux-x86_64.tar.xz")]:
        if text not in (ROOT / page).read_text():
            faults.append(f"{page}: does not say {text}")
    return faults


def recipes() -> list[str]:
    """Recipes that the table lacks, and rows that lack a recipe."""
    page = ROOT / "docs/recipes.md"
    if not page.exists():
        return []
    files = {file.stem for file in ROOT.glob("config/recipes/*.toml")}
    rows = [line.split("|") for line in page.read_text().splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row[1])}
    faults = [f"no row for the recipe {name}" for name in sorted(files - named)]
    faults += [f"there is no recipe {name}" for name in sorted(named - files)]
    faults += [f"it does not say what {row[1].strip()} was tried against" for row in rows if not row[4].strip()]
    return [f"docs/recipes.md: {fault}" for fault in faults]


# A heading of docs/promises.md, and where the fields below it are written.
FIELDS = {
    "Fields of events": ["Sessions/Push/JSONReporter.swift", "ProcessContext/Output/JSONLine.swift"],
    "Fields of hoist queue": ["hoist/Output/QueueLine.swift"],
    "Fields of hoist history": ["hoist/Output/HistoryLine.swift", "ProcessContext/Output/JSONLine.swift"],
}


def promises() -> list[str]:
    """Fields of JSON that a version promises and does not write, or writes and does not promise."""
    page = ROOT / "docs/promises.md"
    if not page.exists():
        return []
    faults = []
    for heading, sources in FIELDS.items():
        section = re.search(rf"(?ms)^### {heading}\n(.*?)(?=^#|\Z)", page.read_text())
        told = set(re.findall(r"`([a-z_]+)`", section.group(1))) if section else set()
        written = set()
        for source in sources:
            # A member of a literal, or one that is set.
            written.update(re.findall(r'"([a-z_]+)"(?=:|\])', (ROOT / "Sources" / source).read_text()))
        faults += [f"the field {name} is missing below \"{heading}\"" for name in sorted(written - told)]
        faults += [f"below \"{heading}\": nothing writes a field {name}" for name in sorted(told - written)]
    return [f"docs/promises.md: {fault}" for fault in faults]


# A file's path from the top of the project, and no part of a longer path such as ~/.config/hoist/config.toml.
PATH = r"(?<![\w./~-])(?:%s)/[\w+./-]*\.\w+" % "|".join(
    ["Benchmarks", "config", "docs", "Examples", "Sources", "Tests", "Tools"])


def comments() -> list[str]:
    """Paths in comments that lead to no file."""
    folders = ["Benchmarks", "Examples", "Sources", "Tests"]
    sources = [source for folder in folders for source in ROOT.glob(f"{folder}/**/*.swift")]
    faults = []
    for source in sorted(sources) + list(ROOT.glob("Package.swift")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            comment = re.search(r"(?:^|\s)//(.*)", re.sub(r'"(?:\\.|[^"\\])*"', '""', line))
            for path in re.findall(PATH, comment.group(1)) if comment else []:
                if not (ROOT / path).exists():
                    faults.append(f"{source.relative_to(ROOT)}:{number}: {path}: there is no such file")
    return faults


def main() -> int:
    count = 0
    for fault in codes() + version() + recipes() + promises() + comments():
        print(fault)
        count += 1
    for page, check in [(page, links) for page in PAGES] + [(guide, excerpts) for guide in GUIDES]:
        for fault in check(page):
            print(f"{page.relative_to(ROOT)}: {fault}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
