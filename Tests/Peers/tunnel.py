"""A proxy that lets one tunnel be made and is the server at its other end, too: it takes a request over TLS
and hangs up without a reply. Prints its port.

    tunnel.py CERTIFICATE KEY
"""

import re
import socket
import ssl
import sys


def read(connection, pattern):
    """Reads until `pattern` is found and gives what came after it; None if it never comes."""
    data = b""
    while not (found := re.search(pattern, data)):
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    return found, data[found.end() :]


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
connection, _ = listener.accept()
if read(connection, rb"\r\n\r\n"):
    connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    with context.wrap_socket(connection, server_side=True) as tunnel:
        found, body = read(tunnel, rb"(?is)content-length: (\d+).*?\r\n\r\n")
        while len(body) < int(found[1]):
            body += tunnel.recv(65536)
