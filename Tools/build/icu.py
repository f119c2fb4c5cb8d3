#!/usr/bin/env python3
"""Writes an object file with what a program in English needs from the 34 MB of data in Foundation's ICU.

  Tools/build/icu.py LIBRARY OBJECT    LIBRARY: lib_FoundationICU.a of the toolchain, for static linking

Prints the options for the linker. References to the library's data then lead to the object, and the linker leaves the
library's out, as with everything that nothing refers to (--gc-sections). Time zones, calendars, numbers,
normalisation and international host names stay, and the locales below; any other locale is formatted as ICU's root.
What goes: names of languages, countries and units, rules for sorting and for breaking lines, charsets that are not
Unicode or Latin 1.
Tools/tests/icu-test.sh checks that both give the same results for the formats that hoist uses.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MEMBER = "icu_packaged_data.cpp.o"
LOCALES = "root|en|en_001|en_US|en_US_POSIX"
# From the folders, the names of time zones, needed to read dates by a pattern, and currencies, needed to read numbers.
KEPT = re.compile(rf"(zone/|curr/)?({LOCALES}|pool|res_index|supplementalData)\.res")
# At the top, all but these: other locales, charsets, names of characters, look-alikes, profiles of other protocols, and
# data about units, genders and Windows.
LEFT = re.compile(
    r"[a-z]{2,3}(_\w+)?\.res|.*\.cnv|unames\.icu|confusables\.cfu|.*\.spp|"
    r"(units|windowsZones|grammaticalFeatures|pluralRanges|genderList)\.res")


def is_kept(name):
    return bool(KEPT.fullmatch(name)) or "/" not in name and not LEFT.fullmatch(name)


def trimmed(data):
    """A package of ICU's data ("CmnD") without what is not kept: a header, the number of items, for each the offsets of
    its name and of its data from there, the names, and the data."""
    start, magic, identity = *struct.unpack_from("<HH", data), data[12:16]
    if magic != 0x27DA or identity != b"CmnD":
        sys.exit("icu: this is not a package of little-endian data")
    count, = struct.unpack_from("<I", data, start)
    table = [struct.unpack_from("<II", data, start + 4 + 8 * index) for index in range(count)]
    items = []
    for index, (name, begin) in enumerate(table):
        end = table[index + 1][1] if index + 1 < count else len(data) - start
        path = data[start + name:data.index(b"\0", start + name)]
        if is_kept(path.decode().partition("/")[2]):
            items.append((path + b"\0", data[start + begin:start + end]))
    names = 4 + 8 * len(items)
    place = (names + sum(len(path) for path, _ in items) + 15) // 16 * 16
    head, paths, contents = struct.pack("<I", len(items)), b"", b""
    for path, content in items:
        head += struct.pack("<II", names + len(paths), place + len(contents))
        paths += path
        contents += content + bytes(-len(content) % 16)
    return data[:start] + (head + paths).ljust(place, b"\0") + contents


def main(library, target):
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)

        def run(*command):
            return subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE, text=True).stdout

        run("ar", "x", library, MEMBER)
        symbol = re.search(r"\bicudt\d+_dat\b", run("nm", MEMBER)).group()
        run("objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "data")
        name = f"__wrap_{symbol}"
        data = trimmed((work / "data").read_bytes())
        (work / "data").write_bytes(data)
        (work / "data.s").write_text(
            f'.section .rodata\n.globl {name}\n.type {name}, @object\n.balign 16\n{name}:\n.incbin "data"\n'
            f'.size {name}, . - {name}\n.section .note.GNU-stack,"",@progbits\n')
        run("as", "-o", "data.o", "data.s")
        target.write_bytes((work / "data.o").read_bytes())
    print(f"-Xlinker --wrap={symbol} -Xlinker {target}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:]))
