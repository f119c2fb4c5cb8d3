import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadDraft

@testable import Receiver

@Suite("Uploads that go on at the ordinary endpoints")
struct ResumableTests {
  private static let piece = "Content-Type: application/partial-upload"

  private func head(
    _ method: String, _ target: String, _ fields: [String], length: Int?, in version: Int64 = 8
  ) -> String {
    var lines =
      ["\(method) \(target) HTTP/1.1", "Host: test", "Upload-Draft-Interop-Version: \(version)"]
      + fields
    if let length { lines.append("Content-Length: \(length)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private func ask(
    _ server: TestServer, _ method: String, _ target: String, _ fields: [String] = [],
    body: String = "", in version: Int64 = 8
  ) throws -> RawClient.Reply {
    let client = try server.connect()
    let length = method == "HEAD" ? nil : body.utf8.count
    try client.send(head(method, target, fields, length: length, in: version) + body)
    return try client.readReply(hasBody: method != "HEAD")
  }

  /// Makes an upload of which nothing is there yet, and returns its path.
  private func create(
    _ server: TestServer, length: Int?, type: String = "text/plain", to target: String = "/upload"
  ) throws -> String {
    let client = try server.connect()
    let fields =
      [
        "Upload-Complete: ?0", "Content-Type: \(type)",
        "Content-Disposition: inline; filename=\"a.txt\"",
      ] + (length.map { ["Upload-Length: \($0)"] } ?? [])
    try client.send(head("POST", target, fields, length: 0))
    let interim = try client.readReply(hasBody: false)
    #expect(interim.status == 104)
    #expect(interim["upload-draft-interop-version"] == "8")
    // While nothing of it is there it is kept for a shorter time than what comes next.
    #expect(
      interim["upload-limit"]?.contains("-size=") == true
        && interim["upload-limit"]?.contains("max-age=") == false)
    let reply = try client.readReply()
    #expect(reply.status == 201 && reply["upload-complete"] == "?0")
    #expect(reply["location"] == interim["location"])
    return try #require(interim["location"])
  }

  private func visible(_ server: TestServer) throws -> [String] {
    try server.names().filter { !$0.hasPrefix(".") }
  }

  private func state(_ server: TestServer, _ path: String) throws -> String {
    let reply = try ask(server, "HEAD", path)
    guard reply.status == 204 else { return "\(reply.status)" }
    #expect(reply["cache-control"] == "no-store" && reply["upload-limit"] != nil)
    return
      "\(reply["upload-offset"] ?? "-") \(reply["upload-complete"] ?? "-") \(reply["upload-length"] ?? "-")"
  }

  @Test("says what it takes")
  func limits() async throws {
    try await TestServer.run({ $0.limits.bodyBytes = 100 }) { (server: TestServer) async throws in
      let reply = try ask(server, "OPTIONS", "/upload")
      #expect(reply.status == 204 && reply["upload-limit"] == "max-size=100")
      #expect(reply["accept-patch"] == "application/partial-upload")
      #expect(reply["upload-draft-interop-version"] == "8")
      // A client that asks in an unknown version learns the newest known one.
      let newer = try ask(server, "OPTIONS", "/upload", in: 11)
      #expect(newer["upload-draft-interop-version"] == "10")
      let large = try ask(
        server, "POST", "/upload",
        ["Upload-Complete: ?0", "Upload-Length: 101", "Content-Type: text/plain"])
      #expect(large.status == 413 && large["upload-limit"] == "max-size=100")
    }
  }

  @Test("a form that is too long for as many files as it may have is refused before it arrives")
  func longForm() async throws {
    try await TestServer.run({ $0.limits.fileBytes = 1_000_000 }) {
      (server: TestServer) async throws in
      let form = "multipart/form-data; boundary=B"
      // Before version 6, only the request's own length says how long the form is.
      for version in [Int64(5), 8] {
        let client = try server.connect()
        let fields = ["Upload-Complete: ?1", "Content-Type: \(form)"]
        try client.send(head("POST", "/upload", fields, length: 5_000_000, in: version))
        let reply = try client.readReply()
        let words = String(decoding: reply.body, as: UTF8.self)
        // It names the limit that was set, not the one that was worked out for a form.
        #expect(
          reply.status == 413
            && words.contains("The form has 5000000 bytes; a file may have at most 1000000."),
          "\(words)")
      }
      let reply = try ask(
        server, "POST", "/upload",
        ["Upload-Complete: ?0", "Upload-Length: 5000000", "Content-Type: \(form)"])
      #expect(reply.status == 413)
      #expect(reply["upload-limit"] == "max-size=2176576")
      #expect(try ask(server, "OPTIONS", "/upload")["upload-limit"] == "max-size=2176576")
      #expect(try server.names() == [])
      // In ten files, this much is allowed.
      _ = try create(server, length: 5_000_000, type: form, to: "/multiupload")
      // A length that only the request with the first bytes gives.
      let path = try create(server, length: nil, type: form)
      let first = try ask(
        server, "PATCH", path,
        ["Upload-Offset: 0", "Upload-Complete: ?0", "Upload-Length: 5000000", Self.piece],
        body: "--B")
      #expect(first.status == 413)
    }
  }

  @Test(
    "an invalid length, or two different ones, is refused",
    arguments: [["-1"], ["5", "7"], ["5, 7"], ["x"], ["1.5"]])
  func badLength(_ lengths: [String]) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let fields = lengths.map { "Upload-Length: \($0)" }
      let begun = try ask(
        server, "POST", "/upload", ["Upload-Complete: ?0", "Content-Type: text/plain"] + fields)
      #expect(begun.status == 400)
      #expect(String(decoding: begun.body, as: UTF8.self).contains("Upload-Length"))
      let path = try create(server, length: nil)
      let more = try ask(
        server, "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?0", Self.piece] + fields,
        body: "abcd")
      #expect(more.status == 400)
      #expect(try state(server, path) == "0 ?0 -")
    }
  }

  @Test("a file in pieces is there when all of it is, once, under its name")
  func pieces() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 10)
      #expect(try state(server, path) == "0 ?0 10")
      let first = try ask(
        server, "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?0", Self.piece],
        body: "abcd")
      #expect(first.status == 204 && first["upload-complete"] == "?0")
      #expect(try visible(server) == [])
      #expect(try state(server, path) == "4 ?0 10")
      let wrong = try ask(
        server, "PATCH", path, ["Upload-Offset: 2", "Upload-Complete: ?1", Self.piece],
        body: "cdefghij")
      #expect(wrong.status == 409 && wrong["upload-offset"] == "4")
      #expect(wrong["content-type"] == "application/problem+json")
      let problem = String(decoding: wrong.body, as: UTF8.self)
      #expect(problem.contains("http-problem-types#mismatching-upload-offset"))
      #expect(
        problem.contains("\"expected-offset\":4") && problem.contains("\"provided-offset\":2"))
      let long = try ask(
        server, "PATCH", path, ["Upload-Offset: 4", "Upload-Complete: ?1", Self.piece],
        body: "efghijk")
      #expect(long.status == 400)
      #expect(String(decoding: long.body, as: UTF8.self).contains("inconsistent-upload-length"))
      let last = try ask(
        server, "PATCH", path, ["Upload-Offset: 4", "Upload-Complete: ?1", Self.piece],
        body: "efghij")
      #expect(last.status == 201 && last["upload-complete"] == "?1")
      #expect(last["location"] == "/files/a.txt")
      #expect(try Receipt(last.body).files.map(\.sha256) == [sha256(Array("abcdefghij".utf8))])
      #expect(try server.bytes("a.txt") == Array("abcdefghij".utf8))
      // A client that has missed the answer gets it again, and sends nothing again.
      #expect(try state(server, path) == "10 ?1 10")
      let again = try ask(
        server, "PATCH", path, ["Upload-Offset: 10", "Upload-Complete: ?1", Self.piece])
      #expect(again.status == 201 && again.body == last.body)
      let more = try ask(
        server, "PATCH", path, ["Upload-Offset: 10", "Upload-Complete: ?1", Self.piece], body: "k")
      #expect(more.status == 400 && more["upload-complete"] == "?0")
      #expect(try visible(server) == ["a.txt"])
      #expect(server.events.all.count { if case .stored = $0 { true } else { false } } == 1)
    }
  }

  @Test("a form goes on where it was broken off", arguments: [false, true])
  func form(_ isKilled: Bool) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let form = Wire.field("album", "x") + Wire.file("0123456789") + Wire.end
      let client = try server.connect()
      let fields = [
        "Upload-Complete: ?1", "Upload-Length: \(form.utf8.count)",
        "Content-Type: multipart/form-data; boundary=B",
      ]
      try client.send(
        head("POST", "/upload", fields, length: form.utf8.count)
          + String(decoding: form.utf8.prefix(60), as: UTF8.self))
      let interim = try client.readReply(hasBody: false)
      #expect(interim.status == 104)
      let path = try #require(interim["location"])
      try await eventually { try state(server, path) == "60 ?0 \(form.utf8.count)" }
      #expect(try visible(server) == [])
      // The old connection was given up for the sake of the new one.
      #expect(try client.readToEnd().count >= 0)
      var next = server
      var other: UploadReceiver?
      if isKilled {
        // Another receiver on the folder knows as much as the one before.
        var configuration = UploadReceiver.Configuration(directory: server.folder.path)
        configuration.names = ["test"]
        let receiver = UploadReceiver(configuration: configuration)
        other = receiver
        next = TestServer(
          receiver: receiver, port: try await receiver.start(), folder: server.folder,
          events: server.events)
      }
      let last = try ask(
        next, "PATCH", path, ["Upload-Offset: 60", "Upload-Complete: ?1", Self.piece],
        body: String(decoding: form.utf8.dropFirst(60), as: UTF8.self))
      #expect(last.status == 201 && last["upload-complete"] == "?1")
      let text = String(decoding: last.body, as: UTF8.self)
      #expect(text.contains("\"album\":\"x\"") && text.contains("a.txt"))
      #expect(try next.bytes("a.txt") == Array("0123456789".utf8))
      #expect(try state(next, path) == "\(form.utf8.count) ?1 \(form.utf8.count)")
      #expect(try next.names().filter { $0.hasSuffix(".data") } == [])
      await other?.stop()
    }
  }

  @Test("a client is told how far it is while it sends, a few times")
  func progress() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 40 << 20)
      let client = try server.connect()
      try client.send(
        head(
          "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?1", Self.piece], length: 40 << 20))
      try client.send(patternBytes(40 << 20))
      var offsets: [Int64] = []
      while true {
        let reply = try client.readReply()
        guard reply.status == 104 else {
          #expect(reply.status == 201)
          break
        }
        #expect(reply["upload-draft-interop-version"] == "8" && reply["location"] == nil)
        offsets.append(try #require(reply["upload-offset"].flatMap { Int64($0) }))
      }
      #expect((2...5).contains(offsets.count) && offsets == offsets.sorted(), "\(offsets)")
      #expect(offsets.allSatisfy { (1..<40 << 20).contains($0) })
    }
  }

  @Test("a form's files are named once, though the receiver is killed before it has kept the reply")
  func namedOnce() throws {
    let folder = try ScratchDirectory()
    let inbox = try Inbox(path: folder.path)
    try folder.write("a.txt", Array("another's".utf8))
    let form = Array((Wire.file("one") + Wire.file("two") + Wire.file("one") + Wire.end).utf8)
    var numbers: [FileNumber] = []
    func names() throws -> [String] { try inbox.list().map(\.name).sorted() }
    func store(_ naming: ([FileNumber]) throws -> Void = { _ in }) throws -> [String] {
      let configuration = UploadReceiver.Configuration(directory: folder.path)
      let intake = FormIntake(
        boundary: try Boundary("B"), maxFiles: 3,
        site: Site(inbox: inbox, configuration: configuration, onEvent: nil))
      try form.withUnsafeBytes(intake.push)
      let receipt = try intake.finish(
        baseURL: "", named: numbers,
        naming: {
          try naming($0)
          numbers = $0
        })
      return receipt.files.map(\.stored)
    }
    // Killed before the first has its name.
    #expect(throws: CancellationError.self) { try store { _ in throw CancellationError() } }
    #expect(try names() == ["a.txt"])
    let first = try store()
    #expect(first == ["a (2).txt", "a (3).txt", "a (4).txt"])
    // Killed before the reply was kept, and again when one of them had been renamed by somebody.
    #expect(try store() == first)
    rename(folder.path("a (4).txt"), folder.path("moved"))
    #expect(try store() == ["a (2).txt", "a (3).txt", "a (4).txt"])
    #expect(try names() == ["a (2).txt", "a (3).txt", "a (4).txt", "a.txt", "moved"])
    // A number that a file with another content has by now is nobody's.
    try folder.write("a (3).txt", Array("tow".utf8))
    #expect(try store() == ["a (2).txt", "a (5).txt", "a (4).txt"])
    #expect(FileManager.default.contents(atPath: folder.path("a (5).txt")) == Data("two".utf8))
  }

  @Test("what is no form after all is refused as a whole, and nothing of it is kept")
  func malformed() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: nil, type: "multipart/form-data; boundary=B")
      let reply = try ask(
        server, "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?1", Self.piece],
        body: "nothing")
      #expect(reply.status == 400 && reply["upload-complete"] == "?1")
      #expect(try state(server, path) == "404")
      #expect(try server.names() == [])
    }
  }

  @Test("an upload of a length that nobody has said grows to its limit and no further")
  func unknownLength() async throws {
    try await TestServer.run({ $0.limits.fileBytes = 6 }) { (server: TestServer) async throws in
      let path = try create(server, length: nil)
      _ = try ask(
        server, "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?0", Self.piece],
        body: "abcd")
      #expect(try state(server, path) == "4 ?0 -")
      let long = try ask(
        server, "PATCH", path, ["Upload-Offset: 4", "Upload-Complete: ?0", Self.piece],
        body: "efg")
      #expect(long.status == 413)
      // What says its length at last has to have it.
      let short = try ask(
        server, "PATCH", try create(server, length: nil),
        ["Upload-Offset: 0", "Upload-Complete: ?1", "Upload-Length: 5", Self.piece], body: "abcd")
      #expect(short.status == 400)
      let last = try ask(
        server, "PATCH", path, ["Upload-Offset: 4", "Upload-Complete: ?1", Self.piece], body: "ef")
      #expect(last.status == 201)
      #expect(try server.bytes("a.txt") == Array("abcdef".utf8))
    }
  }

  @Test(
    "what is larger than a limit that has been lowered meanwhile is refused as that",
    arguments: [10, nil])
  func loweredLimit(length: Int?) async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: length)
      _ = try ask(
        server, "PATCH", path, ["Upload-Offset: 0", "Upload-Complete: ?0", Self.piece],
        body: "abcdefgh")
      let folder = server.folder.path
      try await TestServer.run({
        $0.directory = folder
        $0.limits.fileBytes = 6
      }) { (server: TestServer) async throws in
        let reply = try ask(
          server, "PATCH", path, ["Upload-Offset: 8", "Upload-Complete: ?0", Self.piece], body: "i")
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(reply.status == 413)
        #expect(
          text.contains("The upload has \(length ?? 8) bytes; at most 6 are accepted."), "\(text)")
      }
    }
  }

  @Test("what is taken back is gone")
  func deleted() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      #expect(try ask(server, "DELETE", path).status == 204)
      #expect(try state(server, path) == "404")
      #expect(try server.names() == [])
    }
  }

  @Test("what nobody comes back for is removed")
  func expired() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      try server.age(path)
      #expect(try state(server, path) == "404")
      #expect(try server.names() == [])
    }
  }

  @Test("requests that contradict themselves are refused")
  func refusals() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let path = try create(server, length: 4)
      let patch = ["Upload-Offset: 0", "Upload-Complete: ?1"]
      #expect(try ask(server, "PATCH", path, patch, body: "abcd").status == 415)
      #expect(try ask(server, "PATCH", path, [Self.piece, patch[1]], body: "abcd").status == 400)
      #expect(try ask(server, "PATCH", path, [Self.piece, patch[0]], body: "abcd").status == 400)
      #expect(
        try ask(
          server, "PATCH", path, [Self.piece, "Upload-Offset: \"0\"", patch[1]], body: "abcd"
        )
        .status == 400)
      #expect(try ask(server, "PUT", path).status == 405)
      #expect(try state(server, path) == "0 ?0 4")
      let lengths = ["Upload-Complete: ?1", "Upload-Length: 5", "Content-Type: text/plain"]
      #expect(try ask(server, "POST", "/upload", lengths, body: "abcd").status == 400)
    }
  }

  @Test("a client of an unknown version is served as any other")
  func otherVersion() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let form = Wire.file("abc") + Wire.end
      let reply = try server.request(
        Wire.post(form, extra: ["Upload-Complete: ?1", "Upload-Draft-Interop-Version: 11"]))
      #expect(reply.status == 201 && reply["upload-complete"] == nil)
      #expect(try visible(server) == ["a.txt"])
    }
  }

  /// What the texts demand of a server, in a version of each kind.
  private struct Manner {
    let version: Int64
    /// The field that says whether an upload is complete, and its values for yes and no.
    var field: String { version == 3 ? "upload-incomplete" : "upload-complete" }
    var yes: String { version == 3 ? "?0" : "?1" }
    var no: String { version == 3 ? "?1" : "?0" }
    /// Whether replies to content tell the offset and name the upload, and 201 acknowledges a part.
    var isOld: Bool { version < 7 }
    var piece: [String] { version < 6 ? [] : [ResumableTests.piece] }
    func says(_ isLast: Bool) -> String { "\(field): \(isLast ? yes : no)" }
  }

  @Test("each client is answered in its version", arguments: Array(3...10) as [Int64])
  func version(_ version: Int64) async throws {
    let manner = Manner(version: version)
    try await TestServer.run { (server: TestServer) async throws in
      let client = try server.connect()
      let fields = [
        manner.says(true), "Content-Type: text/plain",
        "Content-Disposition: inline; filename=\"a.txt\"",
      ]
      try client.send(head("POST", "/upload", fields, length: 10, in: version) + "abcd")
      let interim = try client.readReply(hasBody: false)
      #expect(interim.status == 104 && interim["upload-draft-interop-version"] == "\(version)")
      #expect((interim["upload-limit"] != nil) == (version >= 6))
      let path = try #require(interim["location"])
      try await eventually {
        try ask(server, "HEAD", path, in: version)["upload-offset"] == "4"
      }
      let state = try ask(server, "HEAD", path, in: version)
      #expect(state.status == 204 && state[manner.field] == manner.no)
      #expect((state["upload-length"] == "10") == (version >= 6))
      let limits = state["upload-limit"] ?? ""
      #expect(limits.contains("expires=") == (version == 6))
      #expect(limits.contains("max-age=") == (version > 6))
      let said = try ask(server, "HEAD", path, ["Upload-Offset: 4"], in: version)
      #expect(said.status == (version <= 6 ? 400 : 204))
      // A part, and one that is out of place.
      let part = try ask(
        server, "PATCH", path, manner.piece + ["Upload-Offset: 4", manner.says(false)], body: "ef",
        in: version)
      #expect(part.status == (manner.isOld ? 201 : 204))
      #expect(part["upload-offset"] == "6" && part[manner.field] == manner.no)
      let wrong = try ask(
        server, "PATCH", path, manner.piece + ["Upload-Offset: 4", manner.says(true)],
        body: "efghij", in: version)
      #expect(wrong.status == 409 && wrong["upload-offset"] == "6")
      #expect(wrong[manner.field] == (manner.isOld ? nil : manner.no))
      let untyped = try ask(
        server, "PATCH", path, ["Upload-Offset: 5", manner.says(true)], body: "f", in: version)
      #expect(untyped.status == (version < 6 ? 409 : 415))
      // The rest. In the older versions, it need not be called that.
      let rest = ["Upload-Offset: 6"] + (manner.isOld ? [] : [manner.says(true)])
      let last = try ask(
        server, "PATCH", path, manner.piece + rest, body: "ghij", in: version)
      #expect(last.status == 201 && last[manner.field] == manner.yes)
      #expect((last["upload-offset"] == "10") == manner.isOld)
      #expect(last["location"] == "/files/a.txt")
      #expect(try server.bytes("a.txt") == Array("abcdefghij".utf8))
      let end = try ask(server, "HEAD", path, in: version)
      #expect(end["upload-offset"] == "10" && end[manner.field] == manner.yes)
      let again = try ask(
        server, "PATCH", path, manner.piece + ["Upload-Offset: 10", manner.says(true)],
        in: version)
      #expect(again.status == (version < 8 ? 400 : 201))
      #expect(try visible(server) == ["a.txt"])
    }
  }

  @Test(
    "what is all in the first request is answered in the client's version",
    arguments: [3, 6, 7, 10] as [Int64])
  func whole(_ version: Int64) async throws {
    let manner = Manner(version: version)
    try await TestServer.run { (server: TestServer) async throws in
      let client = try server.connect()
      try client.send(
        head("POST", "/upload", [manner.says(true)], length: 3, in: version) + "abc")
      let path = try client.readReply(hasBody: false)["location"]
      let reply = try client.readReply()
      #expect(reply.status == 201 && reply[manner.field] == manner.yes)
      // Where the reply is about the upload, that is what it names, and the file is its content's place.
      #expect(reply["location"] == (manner.isOld ? path : "/files/file"))
      #expect(reply["content-location"] == (manner.isOld ? "/files/file" : nil))
      #expect((reply["upload-offset"] == "3") == manner.isOld)
      // Not a form after all. The older versions cannot say who refuses it.
      let fields = [manner.says(true), "Content-Type: multipart/form-data; boundary=B"]
      let other = try server.connect()
      try other.send(head("POST", "/upload", fields, length: 7, in: version) + "nothing")
      #expect(try other.readReply(hasBody: false).status == 104)
      let refusal = try other.readReply()
      #expect(refusal.status == 400)
      #expect(refusal[manner.field] == (manner.isOld ? nil : manner.yes))
    }
  }
}
