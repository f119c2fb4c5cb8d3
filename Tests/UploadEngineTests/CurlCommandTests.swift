import Foundation
import TestSupport
import Testing

@testable import UploadEngine
@testable import UploadModel

/// The curl commands for uploads that take several requests.
struct CurlCommandTests {
  let folder: ScratchDirectory
  let path: String

  init() throws {
    folder = try ScratchDirectory()
    path = try folder.write("a.bin", Array("0123456789".utf8))
  }

  /// A target whose requests for pieces have everything that replies and secrets fill in.
  private func target(
    _ url: String = "https://h/up", _ change: (inout PieceRules) throws -> Void = { _ in }
  ) throws -> Target {
    var target = Target(name: "t", url: try #require(URL(string: url)))
    target.body = .binary
    let lookup = Template.Lookup(environment: { _ in "hunter2" })
    let key = try Template("{env.KEY}", lookup: lookup)
    func template(_ text: String) throws -> Template {
      let scope =
        Template.Placeholder.ofUpload + Template.Placeholder.ofPiece
        + [.begun, .pieceValue, .ticket, .pieces]
      let sum = DerivedValue(name: "sum", .hmacSHA256, of: Template(literal: "a"), key: key)
      return try Template(text, scope: scope, lookup: lookup.knowing([sum]))
    }
    target.headers = [Target.Field(name: "Authorization", value: try template("{env.TOKEN}"))]
    var rules = PieceRules()
    rules.size = 4
    var begin = Call(method: "POST")
    begin.json = try template(#"["{file.name}"]"#)
    begin.values = [.init(name: "id", place: ReplyValue(.pointer(try JSONPointer("/a/0"))))]
    rules.begin = begin
    rules.piece.address = .reply(try template("{begin.id}"))
    rules.piece.headers = [
      Target.Field(name: "Sum", value: try template("{value.sum|base64}")),
      Target.Field(name: "Part", value: try template("{piece.number|03}/{piece.sha1}")),
    ]
    var finish = Call(method: "POST")
    finish.text = try template("{begin.id}: {pieces}")
    rules.finish = finish
    try change(&rules)
    target.resume.pieces = rules
    return target
  }

  private func commands(_ target: Target) throws -> [CurlCommand] {
    try CurlCommand.all(for: [UploadJob(item: .file(path, id: 1), target: target)], now: .now)
  }

  @Test("each request has a command, and what a reply fills in is named as in a dry run")
  func pieces() throws {
    let commands = try commands(target())
    #expect(
      commands.map(\.text) == [
        #"""
        # First
        curl --globoff --request POST \
          https://h/up \
          --http1.1 \
          --header 'Authorization: '"$TOKEN" \
          --header 'Content-Type: application/json' \
          --data-raw '["a.bin"]'
        """#,
        // Whether the target's own server is meant is known once the reply is there.
        #"""
        # Piece 1 of 3; with the target's own header fields too, if this is on https://h
        head -c 4 < \#(path) | curl --globoff --request PUT \
          '{begin.id}' \
          --http1.1 \
          --header 'Sum: '"$VALUE_SUM_BASE64" \
          --header 'Part: 001/c4b5c86bd577da3d93fea7c89cba61c78b48e589' \
          --header 'Content-Type: application/octet-stream' \
          --data-binary @-
        """#,
        #"""
        # At the end
        curl --globoff --request POST \
          https://h/up \
          --http1.1 \
          --header 'Authorization: '"$TOKEN" \
          --header 'Content-Type: text/plain; charset=utf-8' \
          --data-raw '{begin.id}: {pieces}'
        """#,
      ])
  }

  @Test("another server gets no credentials")
  func otherServers() throws {
    let commands = try commands(
      target { $0.begin?.address = .own(Template(literal: "https://elsewhere/begin")) })
    #expect(commands.map { $0.variables.contains("TOKEN") } == [false, false, true])
    #expect(!commands.contains { $0.text.contains("hunter2") })
  }

  @Test("a file that goes whole has one command, and a piece that is all of it is no part")
  func whole() throws {
    let small = try commands(target { $0.above = 10 })
    #expect(small.count == 1 && small.first?.text.hasPrefix("curl ") == true)
    let single = try commands(target { $0.size = 10 })
    #expect(
      single[1].text.contains("--data-binary @\(path)") && !single[1].text.contains("head -c"))
  }

  @Test("what curl or the service cannot take is an error with the reason")
  func impossible() throws {
    let large = try target {
      $0.max = 4
      $0.maxPieces = 2
    }
    #expect(throws: InvalidInput.self) { try commands(large) }
  }

  @Test(
    "a piece is the beginning of the file, alone or in a form", .needs("curl"),
    arguments: [false, true])
  func beginning(_ isForm: Bool) async throws {
    let server = try HostileServer { connection, _ in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    defer { server.stop() }
    var target = try target(server.url("/up").absoluteString) {
      if isForm { $0.piece.body = .multipart }
    }
    if isForm { target.body = .multipart }
    let piece = try commands(target)[1]
    let text = piece.text.replacing("{begin.id}", with: server.url("/piece").absoluteString)
    try Tool.run("sh", ["-c", "export VALUE_SUM_BASE64=x; \(text) --silent --no-progress-meter"])
    let sent = try #require(server.requests.first)
    #expect(sent.line == "PUT /piece HTTP/1.1")
    if isForm {
      let file = try #require(try sent.files().first)
      #expect(file.name == "a.bin" && file.content == Array("0123".utf8))
    } else {
      #expect(Array(sent.body) == Array("0123".utf8))
    }
  }

  @Test("a tus upload is created, and its file goes to the address in the reply")
  func tus() throws {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/files")))
    target.resume = ResumeRules(mode: .tus)
    let texts = try commands(target).map(\.text)
    #expect(
      texts == [
        """
        # First
        curl --globoff --request POST \\
          http://h/files \\
          --header 'Tus-Resumable: 1.0.0' \\
          --header 'Upload-Length: 10' \\
          --header 'Upload-Metadata: filename YS5iaW4=,filetype YXBwbGljYXRpb24vb2N0ZXQtc3RyZWFt' \\
          --header Content-Type: \\
          --data-raw ''
        """,
        """
        # Then
        curl --globoff --request PATCH \\
          '{header field Location}' \\
          --header 'Tus-Resumable: 1.0.0' \\
          --header 'Upload-Offset: 0' \\
          --header 'Content-Type: application/offset+octet-stream' \\
          --data-binary @\(path)
        """,
      ])
    target.resume.chunk = 4
    #expect(try commands(target)[1].text.hasPrefix("# Piece 1 of 3\nhead -c 4 < \(path) | curl "))
  }

  @Test("a run's own requests come before its files and after them")
  func run() throws {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/up")))
    let id = try Template(
      "http://h/albums/{open.id}", scope: [.opened],
      lookup: Template.Lookup(environment: { _ in nil }))
    var open = Call(method: "POST")
    open.values = [.init(name: "id", place: ReplyValue(.pointer(try JSONPointer("/id"))))]
    target.run.open = open
    target.headers = [Target.Field(name: "Album", value: id)]
    var closing = RunRules.Closing()
    closing.call.address = .own(id)
    target.run.close = closing
    let run = try CurlCommand.run(of: SendPlan(target), now: .now)
    #expect(run.open?.text.hasPrefix("# Once, before the first file\ncurl ") == true)
    #expect(run.close?.text.contains("'http://h/albums/{open.id}'") == true)
    let upload = try #require(try commands(target).first)
    #expect(upload.text.contains("'Album: http://h/albums/{open.id}'"))
  }
}
