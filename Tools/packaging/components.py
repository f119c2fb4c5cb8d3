#!/usr/bin/env python3
"""What a built hoist consists of, from Package.resolved, .build/checkouts, the toolchain and the program itself.

  Tools/packaging/components.py licenses               the licences of all that is linked in, for people
  Tools/packaging/components.py copyright              the same as Debian's debian/copyright
  Tools/packaging/components.py sbom PROGRAM           a bill of materials, SPDX 2.3 in JSON, shared libraries among it

SOURCE_DATE_EPOCH, or else the time of the commit, dates the bill, so that the same sources give the same file.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKOUTS = ROOT / ".build/checkouts"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def kind(text):
    """The SPDX name of a licence."""
    if "Apache License" in text:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text and "UNICODE LICENSE" not in text:
        return "MIT"
    sys.exit("components: a licence that is not known: " + text[:100])


class Component:
    def __init__(self, name, version, license, texts, place="NOASSERTION", purl=None, holders=()):
        self.name, self.version, self.license, self.texts = name, version, license, texts
        self.place, self.purl, self.holders = place, purl, holders or ["the authors of " + name]


def copyrights(text):
    found = re.findall(r"(?mi)^\s*Copyright (?:\(c\) |© )?((?:\d{4}[-, ]*)+.*?)\.?$", text)
    return [holder.strip() for holder in found][:3]


def packages():
    """The packages that SwiftPM has resolved."""
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        place = pin["location"].removesuffix(".git")
        folder = CHECKOUTS / place.split("/")[-1]
        if not folder.is_dir():
            sys.exit(f"components: {folder} is missing; build first")
        files = sorted([*folder.glob("LICENSE*"), *folder.glob("NOTICE*")])
        texts = [file.read_text() for file in files]
        if not texts:
            sys.exit(f"components: {folder} has no licence")
        version = pin["state"]["version"]
        yield Component(
            place.split("/")[-1], version, kind(texts[0]), texts, place,
            f"pkg:swift/{place.removeprefix('https://')}@{version}", copyrights("\n".join(texts)))


def runtime():
    """What the toolchain links in: Swift's libraries with Foundation and ICU, and C++'s."""
    info = json.loads(output("swift", "-print-target-info"))
    version = re.search(r"Swift version ([\d.]+)", info["compilerVersion"]).group(1)
    resources = pathlib.Path(info["paths"]["runtimeResourcePath"])
    text = (resources.parents[1] / "share/swift/LICENSE.txt").read_text()
    yield Component(
        "swift", version, kind(text), [text], "https://github.com/swiftlang/swift",
        f"pkg:swift/github.com/swiftlang/swift@{version}", ["Apple Inc. and the Swift project authors"])
    text = (ROOT / "LICENSES/icu.txt").read_text()
    yield Component(
        "icu", "NOASSERTION", "Unicode-3.0", [text], "https://github.com/swiftlang/swift-foundation-icu",
        None, ["2016-2024 Unicode, Inc."])
    yield Component(
        "libstdc++", "NOASSERTION", "GPL-3.0-or-later WITH GCC-exception-3.1", [
            "The GNU Standard C++ Library is licensed under the GNU General Public License, version 3 or later, with\n"
            "the GCC Runtime Library Exception, version 3.1, which lets programs that it is linked into be conveyed\n"
            "under terms of their own: https://www.gnu.org/licenses/gcc-exception-3.1.html\n"
        ], "https://gcc.gnu.org", None, ["Free Software Foundation, Inc."])


def shared(program):
    """The shared libraries that a program names, as Debian's packages."""
    names = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", program))
    paths = dict(re.findall(r"(\S+) => (\S+)", output("ldd", program)))
    files = {os.path.realpath(paths.get(name, name)) for name in names}
    # Debian names some files by the place that they had before /usr was merged. All at once, for each question reads the
    # list of every package.
    found = subprocess.run(
        ["dpkg-query", "-S", *sorted(files | {file.removeprefix("/usr") for file in files})],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    owners = {line.split(": ")[0].split(",")[0] for line in found.splitlines()}
    seen = {}
    for owner in sorted(owners):
        version, architecture = output(
            "dpkg-query", "-W", "-f", "${Version} ${Architecture}", owner).split()
        package = owner.split(":")[0]
        seen[package] = Component(
            package, version, "NOASSERTION", [], "NOASSERTION",
            f"pkg:deb/debian/{package}@{version}?arch={architecture}")
    return [seen[name] for name in sorted(seen)]


def linked():
    return [*packages(), *runtime()]


def licenses():
    print("hoist has the MIT licence (LICENSE). What it is built from and contains:\n")
    texts = {}
    for component in linked():
        version = "" if component.version == "NOASSERTION" else " " + component.version
        print(f"  {component.name}{version}: {component.license}")
        for text in component.texts:
            texts.setdefault(text.strip(), []).append(component.name)
    for text, names in texts.items():
        print("\n" + "=" * 80 + "\n" + ", ".join(names) + "\n" + "=" * 80 + "\n\n" + text)


def commit_and_time():
    """What the sources are, and when they were so: of a tarball only the second is known, and only if it is given."""
    try:
        commit, seconds = output("git", "-C", str(ROOT), "log", "-1", "--format=%H %ct").split()
    except subprocess.CalledProcessError:
        commit, seconds = "", "0"
    return "commit " + commit if commit else "no commit", int(os.environ.get("SOURCE_DATE_EPOCH") or seconds)


def indented(text):
    return "\n".join(" " + (line.rstrip() or ".") for line in text.strip().splitlines())


def copyright():
    own = (ROOT / "LICENSE").read_text()
    holder = re.search(r"(?m)^Copyright \(c\) (.*)$", own).group(1)
    expat = own[own.index("Permission is hereby"):]
    print("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
    print(f"Upstream-Name: hoist\n\nFiles: *\nCopyright: {holder}\nLicense: Expat")
    names = {
        "MIT": "Expat", "Apache-2.0": "Apache-2.0", "Unicode-3.0": "Unicode-3.0",
        "Apache-2.0 WITH Swift-exception": "Apache-2.0 with Swift exception",
        "GPL-3.0-or-later WITH GCC-exception-3.1": "GPL-3+ with GCC exception",
    }
    for component in linked():
        print(f"\nFiles: {component.name}/*\nCopyright: " + "\n           ".join(component.holders))
        print(f"License: {names[component.license]}\nComment: Linked into the program; version {component.version}.")
    swift = next(component for component in runtime() if component.name == "swift").texts[0]
    exception = swift[swift.index("As an exception"):]
    apache = "On Debian systems, the Apache License is in /usr/share/common-licenses/Apache-2.0."
    notices = "\n".join(
        text for component in packages() for text in component.texts[1:]).strip()
    print("\nLicense: Expat\n" + indented(expat))
    print("\nLicense: Apache-2.0\n" + indented(apache + "\n\nWhat the NOTICE files say:\n\n" + notices))
    print("\nLicense: Apache-2.0 with Swift exception\n" + indented(apache + "\n\n" + exception))
    print("\nLicense: Unicode-3.0\n" + indented((ROOT / "LICENSES/icu.txt").read_text()))
    print("\nLicense: GPL-3+ with GCC exception\n" + indented(
        next(component for component in runtime() if component.name == "libstdc++").texts[0]
        + "On Debian systems, the GNU General Public License is in /usr/share/common-licenses/GPL-3."))


def sbom(program):
    first = output(program, "--version").split()
    version = first[1]
    commit, seconds = commit_and_time()
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()

    def entry(component, number):
        result = {
            "SPDXID": f"SPDXRef-{number}-" + re.sub(r"[^A-Za-z0-9.-]", "-", component.name),
            "name": component.name,
            "downloadLocation": component.place,
            "filesAnalyzed": False,
            "licenseConcluded": component.license,
            "licenseDeclared": component.license,
            "copyrightText": "NOASSERTION",
        }
        if component.version != "NOASSERTION":
            result["versionInfo"] = component.version
        if component.purl:
            result["externalRefs"] = [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": component.purl}]
        return result

    own = {
        "SPDXID": "SPDXRef-hoist",
        "name": "hoist",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "sourceInfo": commit,
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "licenseConcluded": "MIT",
        "licenseDeclared": "MIT",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
    }
    inside = [entry(component, number) for number, component in enumerate(linked(), 1)]
    beside = [entry(component, number) for number, component in enumerate(shared(program), len(inside) + 1)]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-hoist")]
    relations += [("SPDXRef-hoist", "STATIC_LINK", item["SPDXID"]) for item in inside]
    relations += [("SPDXRef-hoist", "DYNAMIC_LINK", item["SPDXID"]) for item in beside]
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hoist-{version}",
        "documentNamespace": f"https://hoist.invalid/spdx/{version}/{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: Tools/packaging/components.py"]},
        "packages": [own, *inside, *beside],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations],
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    commands = {"licenses": (licenses, 0), "copyright": (copyright, 0), "sbom": (sbom, 1)}
    command, count = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not command or len(sys.argv) != count + 2:
        sys.exit(__doc__)
    command(*sys.argv[2:])
