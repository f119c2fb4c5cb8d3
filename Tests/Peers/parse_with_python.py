"""Parses forms that Hoist wrote with three parsers that it did not write.

Usage: parse_with_python.py CASES. Each line of CASES is a form in JSON: contentType, body (base64)
and parts, each with name, fileName, contentType (or null) and content (base64). Prints a line for
each difference, and at the end how many forms each parser agreed with.
"""
import base64
import email
import email.policy
import json
import sys

from python_multipart.multipart import MultipartParser, parse_options_header
from werkzeug.sansio import multipart as werkzeug
from werkzeug.http import parse_options_header as werkzeug_options


def with_email(content_type, boundary, body):
    message = email.message_from_bytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body, policy=email.policy.compat32)
    if not message.is_multipart():
        return []

    def text(value):
        return value if value is None else value.encode("ascii", "surrogateescape").decode()

    parts = []
    for part in message.get_payload():
        # Bytes that are not ASCII come as surrogates, which `get_param` does not look into.
        disposition = text(dict(part.raw_items())["Content-Disposition"])
        del part["Content-Disposition"]
        part["Content-Disposition"] = disposition
        parts.append((
            part.get_param("name", header="Content-Disposition"),
            part.get_param("filename", header="Content-Disposition"),
            part["Content-Type"], part.get_payload(decode=True)))
    return parts


def with_werkzeug(content_type, boundary, body):
    decoder = werkzeug.MultipartDecoder(boundary)
    parts, offset = [], 0
    while True:
        event = decoder.next_event()
        if isinstance(event, (werkzeug.Field, werkzeug.File)):
            content = b""
            name, filename = event.name, getattr(event, "filename", None)
            kind = event.headers.get("Content-Type")
        elif isinstance(event, werkzeug.Data):
            content += event.data
            if not event.more_data:
                parts.append((name, filename, kind, content))
        elif isinstance(event, werkzeug.Epilogue):
            return parts
        elif isinstance(event, werkzeug.NeedData):
            # Werkzeug 3.1 gives a CR too many where a piece ends behind the CR of a delimiter, so
            # it gets pieces as large as its own reader takes.
            piece = body[offset:offset + 65536]
            offset += 65536
            decoder.receive_data(piece or None)


def with_python_multipart(content_type, boundary, body):
    parts, field, value = [], bytearray(), bytearray()
    headers, content = {}, bytearray()

    def part_begin():
        headers.clear()
        content.clear()

    def header_end():
        headers[bytes(field).lower()] = bytes(value)
        field.clear()
        value.clear()

    def part_end():
        _, options = parse_options_header(headers[b"content-disposition"])
        text = lambda found: found if found is None else found.decode()
        parts.append((
            text(options.get(b"name")), text(options.get(b"filename")),
            text(headers.get(b"content-type")), bytes(content)))

    parser = MultipartParser(boundary, {
        "on_part_begin": part_begin, "on_part_end": part_end, "on_header_end": header_end,
        "on_header_field": lambda data, start, end: field.extend(data[start:end]),
        "on_header_value": lambda data, start, end: value.extend(data[start:end]),
        "on_part_data": lambda data, start, end: content.extend(data[start:end])})
    for offset in range(0, len(body), 1000):
        parser.write(body[offset:offset + 1000])
    parser.finalize()
    return parts


agreed = {"email": 0, "werkzeug": 0, "python-multipart": 0}
parsers = {"email": with_email, "werkzeug": with_werkzeug, "python-multipart": with_python_multipart}
for number, line in enumerate(open(sys.argv[1], encoding="utf-8")):
    case = json.loads(line)
    body = base64.b64decode(case["body"])
    _, options = werkzeug_options(case["contentType"])
    expected = [
        (part["name"], part.get("fileName"), part.get("contentType"), base64.b64decode(part["content"]))
        for part in case["parts"]]
    for name, parse in parsers.items():
        try:
            found = parse(case["contentType"], options["boundary"].encode(), body)
        except Exception as error:
            found = repr(error)
        if found == expected:
            agreed[name] += 1
        else:
            print(f"{name} differs on form {number}: {found!r:.500} instead of {expected!r:.500}")
for name, count in agreed.items():
    print(name, count)
