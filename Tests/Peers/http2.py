"""An HTTP/2 server over TLS that behaves as it is told to: http2.py CERTIFICATE KEY BEHAVIOUR

Prints its port, then "body N" for each request of which it has read all, and "still" once it stands still. The
protocol is that of h2, which is not ours.
"""

import socket
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events

certificate, key, behaviour = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.set_alpn_protocols(["h2"])
# After how many bytes of the body a stream is reset.
stops = {"early 200 stop": 0, "early 413 stop": 0, "reset in the middle": 100_000}
seen = 0
lock = threading.Lock()


def reply(connection, stream, status, words=b""):
    connection.send_headers(stream, [(":status", status), ("content-length", str(len(words)))])
    connection.send_data(stream, words, end_stream=True)


def refused(connection, stream):
    """Turns a request away without having looked at it; says whether the connection ends with that."""
    if behaviour == "refuse":
        connection.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
    else:
        connection.close_connection(last_stream_id=0)
    return behaviour == "go away"


def ended(connection, stream):
    """What comes once all of the body is there; says whether the connection ends with that."""
    if behaviour.startswith("late "):
        reply(connection, stream, behaviour.removeprefix("late "))
    elif behaviour == "reset after all":
        connection.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
    elif not behaviour.startswith("early"):
        if behaviour != "hang up after all":
            reply(connection, stream, "201")
    return behaviour == "hang up after all"


def serve(client):
    global seen
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    client.sendall(connection.data_to_send())
    counts, dead = {}, set()
    while data := client.recv(65536):
        leaves = False
        for event in connection.receive_data(data):
            stream = getattr(event, "stream_id", None)
            if isinstance(event, h2.events.RequestReceived):
                counts[stream] = 0
                with lock:
                    seen += 1
                    first = seen == 1
                if first and behaviour in ("refuse", "go away"):
                    dead.add(stream)
                    leaves = refused(connection, stream) or leaves
                elif behaviour.startswith("early "):
                    # In one TLS record with the reset, libcurl 7.88 would not see it.
                    status = behaviour.split()[1]
                    reply(connection, stream, status, b"too big" if status == "413" else b"")
            elif isinstance(event, h2.events.DataReceived):
                if stream in dead:
                    continue
                counts[stream] += len(event.data)
                if behaviour == "stand still":
                    # The client may send no more than that.
                    if counts[stream] == 65_535:
                        print("still", flush=True)
                    continue
                if behaviour == "leave in the middle" and counts[stream] > 100_000:
                    dead.add(stream)
                    connection.close_connection(last_stream_id=stream)
                    leaves = True
                    continue
                if counts[stream] > stops.get(behaviour, sys.maxsize):
                    dead.add(stream)
                    connection.reset_stream(
                        stream, h2.errors.ErrorCodes[
                            "NO_ERROR" if behaviour.startswith("early ") else "INTERNAL_ERROR"])
                    continue
                if event.flow_controlled_length:
                    connection.increment_flow_control_window(event.flow_controlled_length)
                    if stream in connection.streams and not connection.streams[stream].closed:
                        connection.increment_flow_control_window(event.flow_controlled_length, stream)
            elif isinstance(event, h2.events.StreamEnded) and stream not in dead:
                print("body", counts[stream], flush=True)
                leaves = ended(connection, stream) or leaves
        client.sendall(connection.data_to_send())
        if leaves:
            break
    client.close()


def take(client):
    try:
        with context.wrap_socket(client, server_side=True) as secured:
            serve(secured)
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=take, args=(listener.accept()[0],), daemon=True).start()
