#!/usr/bin/env python3
"""Makes the manual page from what `hoist --experimental-dump-help` says about the commands.

  hoist --experimental-dump-help | Tools/packaging/man.py VERSION > hoist.1
"""

import json
import re
import sys


def escaped(text):
    """Text as roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    text = text.replace("`", "\\(ga").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def is_table(paragraph):
    """Whether its lines have columns."""
    return any(re.search(r"\S  +\S", line) for line in paragraph.splitlines())


def prose(text):
    """Paragraphs; what is indented or has columns stays as it is; a line in capitals with a colon is a heading."""
    out, literal = [], False
    text = "\n\n".join(
        re.sub("(?m)^(?=[^ ])", "  ", part) if is_table(part) and not re.match(r"[A-Z ]+:\n", part) else part
        for part in text.split("\n\n"))
    for line in text.splitlines():
        if literal and not line.startswith("  ") and line.strip():
            out += [".fi", ".RE"]
            literal = False
        if not line.strip():
            out.append("" if literal else ".PP")
        elif line.startswith("  "):
            if not literal:
                out += [".RS 4", ".nf"]
                literal = True
            out.append(escaped(line[2:]))
        elif line.endswith(":") and line[:-1].isupper():
            out += [".PP", ".B " + escaped(line[:-1].capitalize())]
        else:
            out.append(escaped(line))
    if literal:
        out += [".fi", ".RE"]
    # Headings and blocks make space by themselves.
    return [
        line
        for line, following in zip(out, out[1:] + [".PP"])
        if line != ".PP" or following not in (".PP", ".RS 4")
    ]


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def option(argument):
    """An option or an argument and what it means."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        head = "\\fI%s\\fR" % escaped(value)
    else:
        # The short name first, as everywhere.
        names = sorted((spelled(n) for n in argument.get("names", [])), key=len)
        head = ", ".join("\\fB%s\\fR" % escaped(n) for n in names)
        if argument["kind"] == "option":
            head += " \\fI%s\\fR" % escaped(value)
    text = " ".join(argument[key] for key in ("abstract", "discussion") if argument.get(key))
    return [".TP", head, escaped(" ".join(text.split()))]


def synopsis(words, arguments):
    positional = [a for a in arguments if a["kind"] == "positional" and a["shouldDisplay"]]
    parts = ["\\fB%s\\fR" % escaped(" ".join(words)), "[\\fIoption\\fR...]"]
    for argument in positional:
        name = "\\fI%s\\fR" % escaped(argument["valueName"])
        name += "..." if argument["isRepeating"] else ""
        parts.append("[%s]" % name if argument["isOptional"] else name)
    return " ".join(parts)


def command(node, words):
    shown = [a for a in node.get("arguments", []) if a["shouldDisplay"]]
    # Every command has these.
    own = [a for a in shown if a.get("valueName") not in ("help", "version")]
    out = [".SS " + escaped(" ".join(words)), escaped(node.get("abstract", "")), ".PP"]
    out += [synopsis(words, own)]
    if node.get("discussion"):
        out += [".PP"] + prose(node["discussion"])
    section = None
    for argument in own:
        if argument.get("sectionTitle") != section:
            section = argument.get("sectionTitle")
            if section:
                out += [".PP", "\\fI%s\\fR" % escaped(section)]
        out += option(argument)
    for child in node.get("subcommands", []):
        if child["shouldDisplay"] and child["commandName"] != "help":
            out += command(child, words + [child["commandName"]])
    return out


def page(root, version):
    name = root["commandName"]
    out = ['.TH %s 1 "" "%s %s" "User Commands"' % (name.upper(), name, version)]
    out += [".nh", ".ad l", ".SH NAME", "%s \\- %s" % (name, escaped(root["abstract"]))]
    out += [".SH SYNOPSIS"]
    children = [c for c in root["subcommands"] if c["shouldDisplay"] and c["commandName"] != "help"]
    out += ["\\fB%s\\fR [\\fIoption\\fR...] [\\fIfile\\fR...]" % name]
    for child in children:
        out += [".br", "\\fB%s %s\\fR ..." % (name, escaped(child["commandName"]))]
    out += [".SH DESCRIPTION"] + prose(root.get("discussion", ""))
    out += [".SH COMMANDS"]
    for child in children:
        out += command(child, [name, child["commandName"]])
    out += [
        ".SH FILES", ".TP", "\\fI\\(ti/.config/hoist/config.toml\\fR",
        "The configuration; \\fI$XDG_CONFIG_HOME/hoist/config.toml\\fR where that is set.",
        ".SH ENVIRONMENT", ".TP", "\\fBNO_COLOR\\fR", "Where it is set, push draws without colours.",
        ".TP", "\\fBTMPDIR\\fR", "Where standard input is kept until it is sent.",
        ".TP", "\\fBhttp_proxy\\fR, \\fBhttps_proxy\\fR, \\fBall_proxy\\fR, \\fBno_proxy\\fR",
        "The ways to servers, as for curl.",
        ".SH SEE ALSO", ".BR curl (1)",
    ]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(page(json.load(sys.stdin)["command"], sys.argv[1]))
