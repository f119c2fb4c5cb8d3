"""An HTTP/1.1 server over TLS that breaks off its first request in the middle: cut.py CERTIFICATE KEY reset|half

Prints its port, then "body N" for each request of which it has read all. With "half", it ends its own direction before
the reset.
"""

import re
import socket
import ssl
import struct
import sys
import threading
import time

certificate, key, how = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
first = threading.Lock()


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(4096)
        if not data:
            return
        head += data
    head, rest = head.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
    isFirst = first.acquire(blocking=False)
    while len(rest) < (50_000 if isFirst else length):
        data = client.recv(4096)
        if not data:
            return
        rest += data
    if not isFirst:
        print("body", len(rest), flush=True)
        client.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return
    # By now the client has written all that its kernel takes, and this one's takes no more.
    time.sleep(0.3)
    if how == "half":
        client.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def take(client):
    try:
        with context.wrap_socket(client, server_side=True) as secured:
            serve(secured)
    except OSError:
        pass


listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=take, args=(listener.accept()[0],), daemon=True).start()
