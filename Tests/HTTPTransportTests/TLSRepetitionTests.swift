import Foundation
import HTTPTransport
import TestSupport
import Testing

/// A kept TLS connection may end while a body goes out on it. libcurl then begins again by itself, and does not
/// always rewind the body: what TLS has taken only in part counts as unwritten.
@Suite(.timeLimit(.minutes(3)), .needs("openssl", "nginx"))
struct TLSRepetitionTests {
  /// Answers the first request of its first connection, reads this many bytes of the second one and ends. Then it
  /// takes a request on each new connection, and prints the size and the first wrong byte of its body.
  private static let server = #"""
    import select, socket, ssl, struct, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.socket()
    # What the kernels keep between the two is small, so that TLS has to wait in the middle of a piece.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)

    def accept():
        return context.wrap_socket(listener.accept()[0], server_side=True)

    def answer(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
        body = bytearray(body)
        while len(body) < int(fields[b"content-length"]):
            piece = connection.recv(1 << 20)
            if not piece:
                return None
            body += piece
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return body

    first = accept()
    answer(first)
    select.select([first], [], [])
    left = int(sys.argv[3])
    while left > 0:
        left -= len(first.recv(left))
    first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    first.close()
    while True:
        try:
            body = answer(accept())
        except OSError:
            continue
        if body is not None:
            right = bytes(place * 7 % 251 for place in range(251)) * (len(body) // 251 + 1)
            wrong = "none"
            if body != right[:len(body)]:
                wrong = next(place for place, byte in enumerate(body) if byte != right[place])
            print("body", len(body), wrong, flush=True)
    """#

  private static let size = 3 << 20
  /// One that goes with its head.
  private static let smallSize = 20_000

  private static func body(_ size: Int) -> MemoryBody {
    let period = Data((0..<251).map { UInt8($0 * 7 % 251) })
    var bytes = Data(capacity: size + period.count)
    while bytes.count < size { bytes.append(period) }
    return MemoryBody(bytes.prefix(size))
  }

  /// A server from a script, which is given its certificate, its key and these arguments, and prints its port.
  private func start(
    _ script: String, _ arguments: String...
  ) async throws -> (server: Program, url: URL, authority: CertificateAuthority) {
    let authority = try CertificateAuthority()
    let certificate = try authority.issue("localhost")
    let server = try Program(
      "python3", ["-c", script, certificate.file, certificate.key] + arguments,
      environment: ProcessInfo.processInfo.environment, directory: "/")
    let port = try await wait(for: "the server's port", otherwise: { server.errors }) {
      server.output.split(separator: "\n").first
    }
    return (server, try #require(URL(string: "https://localhost:\(port)/upload")), authority)
  }

  /// How the second of two requests on one connection ends, and the server that it went to.
  private func second(
    of size: Int, afterReading count: Int, mayRepeat: Bool
  ) async throws -> (end: ExchangeEnd?, server: Program) {
    let (server, url, authority) = try await start(Self.server, "\(count)")
    let session = UploadSession(maxIdle: 600)
    var request = ExchangeRequest(url: url, method: "POST", body: MemoryBody(Data("first".utf8)))
    request.tls.caFile = authority.root.file
    #expect(await Asker(session, request).run().end?.head?.status == 200)
    request.body = Self.body(size)
    request.mayRepeat = mayRepeat
    return (await Asker(session, request).run().end, server)
  }

  private func wasLost(_ end: ExchangeEnd?) -> Bool {
    if case .connectionLost? = end?.trouble?.kind { true } else { false }
  }

  /// libcurl repeats where it notices the end while it waits for the reply, and not where it notices it while it
  /// sends: then the upload ends, and the engine makes another attempt.
  @Test(arguments: [(size, 0), (size, 1), (size, 20_000), (size, 300_000), (smallSize, 300)])
  func whereACopyDoesNoHarmItIsWhole(_ size: Int, read: Int) async throws {
    for _ in 0..<20 {
      let (end, server) = try await second(of: size, afterReading: read, mayRepeat: true)
      if wasLost(end) { continue }
      #expect(end?.head?.status == 200, "\(String(describing: end))")
      let copy = try await wait(for: "the copy's sum", otherwise: { server.errors }) {
        // A line counts once it is whole.
        server.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
          .dropLast().first
      }
      #expect(copy == "body \(size) none")
      return
    }
    Issue.record("libcurl never repeated it")
  }

  /// What the server has read goes beyond the head: where it has not, it may be sent once more.
  @Test(arguments: [(size, 20_000), (size, 300_000), (smallSize, 300), (smallSize, smallSize)])
  func elsewhereNoSecondCopyIsSent(_ size: Int, read: Int) async throws {
    let (end, server) = try await second(of: size, afterReading: read, mayRepeat: false)
    #expect(wasLost(end), "\(String(describing: end))")
    #expect(server.output.split(separator: "\n").count == 1)
  }

  /// Answers once it has the head and a little of the body. When somebody connects, it reads the rest or resets.
  private static let hasty = #"""
    import select, socket, ssl, struct, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    client = context.wrap_socket(listener.accept()[0], server_side=True)
    head = b""
    while b"\r\n\r\n" not in head:
        head += client.recv(1000)
    count = len(head.split(b"\r\n\r\n", 1)[1])
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    select.select([listener], [], [])
    if sys.argv[3] == "reset":
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        sys.exit()
    while count < int(sys.argv[4]):
        count += len(client.recv(65536))
    print("body", count, flush=True)
    """#

  /// One that the client's kernel takes, and the server's does not.
  private static let keptSize = 500_000

  /// A good reply that comes while the end of the body is still on its way counts once that has arrived.
  @Test(arguments: [true, false])
  func anEarlyReplyCountsOnceAllHasArrived(readsOn: Bool) async throws {
    let (server, url, authority) = try await start(
      Self.hasty, readsOn ? "read" : "reset", "\(Self.keptSize)")
    var request = ExchangeRequest(url: url, method: "POST", body: Self.body(Self.keptSize))
    request.tls.caFile = authority.root.file
    let asker = Asker(UploadSession(), request)
    async let whole = asker.run()
    try await wait(for: "the reply", otherwise: { server.errors }) {
      asker.events.heads.isEmpty ? nil : true
    }
    #expect(asker.events.end == nil)
    let caller = try RawClient(port: #require(url.port))
    defer { caller.close() }
    let end = await whole.end
    guard readsOn else {
      #expect(wasLost(end), "\(String(describing: end))")
      return
    }
    #expect(end?.head?.status == 200 && end?.trouble == nil, "\(String(describing: end))")
    try await wait(for: "all of the body", otherwise: { server.errors }) {
      server.output.contains("body \(Self.keptSize)") ? true : nil
    }
  }
}
