import Foundation
import Synchronization
import TestSupport

/// A server that fails in one way until it is mended, and keeps the files that it takes.
final class AdviceServer: Sendable {
  /// How a request is answered.
  enum Deed: Sendable {
    /// The rest of a status line, and perhaps header fields; `stores` says whether the file is kept nevertheless.
    case reply(String, body: String = "", stores: Bool = false)
    /// These bytes, whatever they are.
    case raw(String)
    /// The file is kept, and no reply comes.
    case hangUp
    /// The file is kept.
    case take
  }

  /// What happens to a request before its body is read, until the server is mended.
  enum Early: Sendable {
    /// Half of the body is read, and the connection breaks.
    case cut
    /// Nothing is read, and no reply comes.
    case stall
    case reply(String)
  }

  typealias Request = HostileServer.SeenRequest
  typealias Script = @Sendable (_ request: Request, _ isMended: Bool) -> Deed

  /// A file that the server has.
  struct Copy: Sendable {
    var address: String
    var bytes: [UInt8]
  }

  private final class State: Sendable {
    let isMended = Mutex(false)
    let copies = Mutex<[Copy]>([])
  }

  private let state: State
  private let http: HostileServer

  init(port: Int = 0, early: Early? = nil, _ script: @escaping Script) throws {
    let state = State()
    self.state = state
    http = try HostileServer(port: port, receiveBuffer: early == nil ? nil : 4096) {
      connection, _ in
      while var request = connection.readHead() {
        let length = Int(request.headers["content-length"] ?? "") ?? 0
        let isMended = state.isMended.withLock { $0 }
        if let early, !isMended {
          switch early {
          case .cut:
            // The rest waits in the client's kernel.
            _ = connection.readNoMore(length / 2)
            return connection.reset()
          case .stall: return connection.stall()
          case .reply(let text):
            connection.send(text)
            return connection.stall()
          }
        }
        guard let body = connection.read(length) else { return }
        request.body = body
        connection.record(request)
        switch script(request, isMended) {
        case .take:
          state.copies.withLock { $0 += Self.copies(in: request) }
          connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        case .reply(let line, let body, let stores):
          if stores { state.copies.withLock { $0 += Self.copies(in: request) } }
          connection.send(
            "HTTP/1.1 \(line)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        case .raw(let text):
          connection.send(text)
          return
        case .hangUp:
          state.copies.withLock { $0 += Self.copies(in: request) }
          return
        }
      }
    }
  }

  /// `http://127.0.0.1:port`.
  var address: String { String(http.url("").absoluteString) }
  var copies: [Copy] { state.copies.withLock { $0 } }
  /// The lines of all requests.
  var lines: [String] { http.requests.map { String($0.line.dropLast(" HTTP/1.1".count)) } }

  func mend() { state.isMended.withLock { $0 = true } }
  /// Deletes what it has.
  func clear() { state.copies.withLock { $0 = [] } }
  func stalled() async { await http.stalled() }
  func stop() { http.stop() }

  /// The files in a request: those of a form, or its whole body.
  private static func copies(in request: Request) -> [Copy] {
    let address = String(request.line.split(separator: " ")[1])
    guard let type = request.headers["content-type"], type.hasPrefix("multipart/form-data"),
      let start = type.range(of: "boundary=")?.upperBound
    else { return [Copy(address: address, bytes: request.body)] }
    let boundary = "--" + type[start...].trimmingCharacters(in: ["\""])
    let body = Data(request.body)
    var (copies, place): ([Copy], Data.Index) = ([], body.startIndex)
    while let name = body.range(of: Data("filename=\"".utf8), in: place..<body.endIndex),
      let begin = body.range(of: Data("\r\n\r\n".utf8), in: name.upperBound..<body.endIndex),
      let end = body.range(
        of: Data("\r\n\(boundary)".utf8), in: begin.upperBound..<body.endIndex)
    {
      copies.append(
        Copy(address: address, bytes: Array(body[begin.upperBound..<end.lowerBound])))
      place = end.upperBound
    }
    return copies
  }
}

/// Something that happens once.
private final class Flag: Sendable {
  private let isSet = Mutex(false)

  /// Whether this is the first time.
  func set() -> Bool {
    isSet.withLock { isSet in
      defer { isSet = true }
      return !isSet
    }
  }
}

extension AdviceServer {
  /// A server that answers every request like this until it is mended, and takes files then.
  static func failing(_ deed: Deed) -> Script { { $1 ? .take : deed } }

  /// The same, with a status line and perhaps header fields.
  static func failing(_ line: String, body: String = "") -> Script {
    failing(.reply(line, body: body))
  }

  /// A server that keeps the first file without a reply, and answers further ones like this until it is mended.
  static func breakingOffOnce(_ line: String, body: String) -> Script {
    let hasBrokenOff = Flag()
    return { _, isMended in
      if isMended { return .take }
      return hasBrokenOff.set() ? .hangUp : .reply(line, body: body)
    }
  }

  /// A server that takes requests that fit, and answers others like this.
  static func failing(_ line: String, unless fits: @escaping @Sendable (Request) -> Bool) -> Script
  {
    { request, _ in fits(request) ? .take : .reply(line) }
  }

  static let taking: Script = { _, _ in .take }
}

extension AdviceServer.Request {
  var method: Substring { line.prefix { $0 != " " } }
  var path: Substring { line.split(separator: " ")[1] }
}
