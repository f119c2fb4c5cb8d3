import Foundation
import Synchronization
import TestSupport

/// A strict server of the newest version of Resumable Uploads for HTTP, written from the text of
/// draft-ietf-httpbis-resumable-upload-12, whose version is 9: that of 10 demands less of the reply to HEAD. What a client
/// must not do is written down in `complaints`.
final class DraftServer: Sendable {
  private struct Upload {
    var bytes: [UInt8] = []
    var length: Int?
    var isComplete = false
    var type = ""
  }

  private struct Content {
    var uploads: [String: Upload] = [:]
    var complaints: [String] = []
    /// After how many bytes of an upload the connection ends.
    var cuts: [Int]
  }

  /// What it announces.
  struct Manners: Sendable {
    /// The value of `Upload-Limit`.
    var limits = "min-size=0"
    /// Whether it sends 104.
    var informs = true
    /// A reply in place of the usual one, to a request with this method and this number.
    var twist: @Sendable (_ method: String, _ number: Int) -> String? = { _, _ in nil }
    /// Whether the connection ends instead of the reply to a request with this method, which is obeyed all the same.
    var losesReply: @Sendable (_ method: String) -> Bool = { _ in false }
    /// What it says in the interim reply in place of the usual.
    var offer: [String]?
  }

  let server: HostileServer
  private let content: Box

  private final class Box: Sendable {
    let value: Mutex<Content>
    let number = Mutex(0)
    init(_ cuts: [Int]) { value = Mutex(Content(cuts: cuts)) }
  }

  init(cuts: [Int] = [], _ manners: Manners = Manners()) throws {
    let box = Box(cuts)
    content = box
    server = try HostileServer { connection, _ in
      while let head = connection.readHead() {
        guard Self.serve(head, connection, box, manners) else { return connection.reset() }
      }
    }
  }

  deinit { server.stop() }

  /// The uploads that are complete.
  var complete: [(type: String, bytes: [UInt8])] {
    content.value.withLock { content in
      content.uploads.values.filter(\.isComplete).map { ($0.type, $0.bytes) }
    }
  }
  var count: Int { content.value.withLock { $0.uploads.count } }
  var complaints: [String] { content.value.withLock { $0.complaints } }
  var lines: [String] { server.requests.map { String($0.line.dropLast(" HTTP/1.1".count)) } }

  /// Returns false where the connection is to be cut.
  private static func serve(
    _ head: HostileServer.SeenRequest, _ connection: HostileConnection, _ box: Box,
    _ manners: Manners
  ) -> Bool {
    let words = head.line.split(separator: " ")
    let (method, path) = (String(words[0]), String(words[1]))
    let number = box.number.withLock { number in
      defer { number += 1 }
      return number
    }
    func complain(_ words: String) {
      box.value.withLock { $0.complaints.append("\(method): \(words)") }
    }
    // "Draft Version Identification": clients send the version with their requests.
    if head.headers["upload-draft-interop-version"] != "10" { complain("no interop version") }
    let id = path.hasPrefix("/u/") ? String(path.dropFirst(3)) : "\(number)"
    let isCreation = !path.hasPrefix("/u/") && method != "OPTIONS"
    let complete = head.headers["upload-complete"]
    if isCreation || method == "PATCH", complete != "?1", complete != "?0" {
      complain("no Upload-Complete")
    }
    let contentLength = Int(head.headers["content-length"] ?? "") ?? 0
    let said = head.headers["upload-length"].flatMap { Int($0) }
    if isCreation {
      box.value.withLock { content in
        content.uploads[id] = Upload(length: said, type: head.headers["content-type"] ?? "")
      }
      if complete == "?1", said != contentLength { complain("Upload-Length is not Content-Length") }
      if manners.informs {
        let fields =
          manners.offer ?? ["Location: /u/\(id)", "Upload-Limit: \(manners.limits)"]
        connection.send(
          reply(
            "104 Upload Resumption Supported", fields + ["Upload-Draft-Interop-Version: 10"],
            length: nil))
      }
    }
    if head.headers["expect"] == "100-continue" {
      connection.send("HTTP/1.1 100 Continue\r\n\r\n")
    }
    let (isKnown, offset, length) = box.value.withLock { content in
      let upload = content.uploads[id]
      return (upload != nil, upload?.bytes.count ?? 0, upload?.length)
    }
    if method == "PATCH" {
      if head.headers["content-type"] != "application/partial-upload" { complain("media type") }
      if let length, complete == "?1", offset + contentLength != length {
        complain("not the rest of it")
      }
      guard head.headers["upload-offset"] == "\(offset)" else {
        _ = connection.read(contentLength)
        connection.record(head)
        connection.send(
          reply("409 Conflict", ["Upload-Offset: \(offset)", "Upload-Complete: ?0"]))
        return true
      }
    }
    // "Limits": a client that is aware of them must not go beyond.
    if isCreation || method == "PATCH", let most = limit("max-append-size", manners),
      contentLength > most, number > 1
    {
      complain("\(contentLength) bytes at once")
    }
    // What has come stays, also where the connection ends.
    let cut = box.value.withLock { $0.cuts.first { $0 > offset && $0 < offset + contentLength } }
    if let cut, isCreation || method == "PATCH" {
      let some = connection.read(cut - offset) ?? []
      box.value.withLock { content in
        content.uploads[id]?.bytes += some
        content.cuts.removeAll { $0 == cut }
      }
      connection.record(head)
      return false
    }
    guard let body = connection.read(contentLength) else { return false }
    var request = head
    request.body = body
    connection.record(request)
    if let twisted = manners.twist(method, number) {
      connection.send(twisted)
      return true
    }
    let outcome = box.value.withLock { content in
      answer(
        method, id, isKnown, isCreation: isCreation, isLast: complete == "?1", body, manners,
        &content)
    }
    guard !manners.losesReply(method) else { return false }
    connection.send(outcome)
    return true
  }

  private static func answer(
    _ method: String, _ id: String, _ isKnown: Bool, isCreation: Bool, isLast: Bool,
    _ body: [UInt8], _ manners: Manners, _ content: inout Content
  ) -> String {
    if method == "OPTIONS" {
      return reply(
        "204 No Content",
        ["Upload-Limit: \(manners.limits)", "Upload-Draft-Interop-Version: 10"])
    }
    guard isKnown else { return reply("404 Not Found", ["Upload-Complete: ?0"]) }
    switch method {
    case "HEAD":
      let upload = content.uploads[id]
      return reply(
        "204 No Content",
        [
          "Upload-Offset: \(upload?.bytes.count ?? 0)",
          "Upload-Complete: \(upload?.isComplete == true ? "?1" : "?0")",
          "Upload-Limit: \(manners.limits)", "Cache-Control: no-store",
        ] + (upload?.length.map { ["Upload-Length: \($0)"] } ?? []))
    case "DELETE":
      content.uploads[id] = nil
      return reply("204 No Content", [])
    default:
      if content.uploads[id]?.isComplete == true, !body.isEmpty {
        return reply("400 Bad Request", ["Upload-Complete: ?0"])
      }
      content.uploads[id]?.bytes += body
      guard isLast else {
        let location = isCreation ? ["Location: /u/\(id)"] : []
        return reply(
          isCreation ? "201 Created" : "204 No Content",
          ["Upload-Complete: ?0", "Upload-Limit: \(manners.limits)"] + location)
      }
      content.uploads[id]?.isComplete = true
      return reply("201 Created", ["Upload-Complete: ?1", "Location: /stored/\(id)"])
    }
  }

  private static func limit(_ name: String, _ manners: Manners) -> Int? {
    manners.limits.components(separatedBy: ", ").lazy
      .filter { $0.hasPrefix("\(name)=") }.compactMap { Int($0.dropFirst(name.count + 1)) }.first
  }

  static func reply(_ status: String, _ fields: [String], length: Int? = 0) -> String {
    let lines = ["HTTP/1.1 \(status)"] + (length.map { ["Content-Length: \($0)"] } ?? []) + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }
}
