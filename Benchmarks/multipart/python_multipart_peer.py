"""Parses BODY with python-multipart, content thrown away: prints bytes and seconds."""
import sys, time
from python_multipart.multipart import MultipartParser

body, boundary = open(sys.argv[1], "rb").read(), sys.argv[2]
parts = 0

def began():
    global parts
    parts += 1

parser = MultipartParser(boundary.encode(), {
    "on_part_begin": began, "on_part_data": lambda data, start, end: None}, max_size=float("inf"))
view = [body[i:i + 65536] for i in range(0, len(body), 65536)]
start = time.perf_counter()
for piece in view:
    parser.write(piece)
parser.finalize()
print(len(body), time.perf_counter() - start)
assert parts == 1, parts
