#!/usr/bin/env python3
"""Compares the libraries' public interface with the one that is kept in Tools/libraries/api, or keeps it there: make api.

  Tools/libraries/api.py check|record FOLDER    FOLDER: where SwiftPM has built them

A break that is meant goes into Tools/libraries/api/allowed.txt, in the words in which it is reported.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "api"
LIBRARIES = ["MultipartForm", "MultipartFormCodable", "MediaTypes", "Receiver"]


def public(node):
    """The node without what only this package sees."""
    children = [public(child) for child in node.get("children", []) if not child.get("isInternal")]
    return {**node, "children": children} if "children" in node else node


def interface(library, options, work):
    path = work / f"{library}.json"
    subprocess.run(
        ["swift-api-digester", "-dump-sdk", "-module", library, "-sdk", "/", "-avoid-location",
         "-avoid-tool-args", *options, "-o", path], check=True)
    dump = json.loads(path.read_text())
    return json.dumps({"ABIRoot": public(dump["ABIRoot"]), "ConstValues": []}, sort_keys=True)


def breaks(library, now, work):
    (work / "kept.json").write_bytes(gzip.decompress((KEPT / f"{library}.json.gz").read_bytes()))
    (work / "now.json").write_text(now)
    report = subprocess.run(
        ["swift-api-digester", "-diagnose-sdk", "-input-paths", work / "kept.json",
         "-input-paths", work / "now.json", "-breakage-allowlist-path", KEPT / "allowed.txt"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    # Headings stand there even where nothing is below them.
    return [line for line in report.splitlines() if line and not line.startswith("/*")]


def main(what, built):
    options = subprocess.run(
        [HERE / "modules.sh", built], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for library in LIBRARIES:
            now = interface(library, options, work)
            if what == "record":
                (KEPT / f"{library}.json.gz").write_bytes(gzip.compress(now.encode(), 9, mtime=0))
                continue
            for line in breaks(library, now, work):
                print(f"{library}: {line}")
                status = 1
    if status:
        print("These break programs that use the libraries; Versions.md says when that is allowed.", file=sys.stderr)
    return status


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "record"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
