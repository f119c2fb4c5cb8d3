import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import UploadModel

struct PieceScriptTests {
  /// A target whose requests have everything that a script fills in.
  private func target(_ change: (inout PieceRules) throws -> Void = { _ in }) throws -> Target {
    var target = Target(name: "t", url: try #require(URL(string: "https://h/up")))
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
    var begin = PieceCall(method: "POST")
    begin.text = try template("{file.name}")
    begin.values = [.init(name: "id", place: ReplyValue(.pointer(try JSONPointer("/a/0"))))]
    rules.begin = begin
    rules.piece.address = .reply(try template("{begin.id}"))
    rules.piece.headers = [
      Target.Field(name: "Sum", value: try template("{value.sum|base64}")),
      Target.Field(name: "Part", value: try template("{piece.number|03}/{piece.sha1}")),
    ]
    try change(&rules)
    target.resume.pieces = rules
    return target
  }

  private func command(_ name: [UInt8], _ target: Target, size: Int64 = 10) throws -> CurlCommand {
    let item = UploadItem(
      id: ItemID(1), location: FileLocation(bytes: Array("./".utf8) + name), size: size)
    return try CurlCommand([item], to: target, now: Date(timeIntervalSince1970: 0))
  }

  @Test("secrets are variables, and only the target's own server gets them")
  func secrets() throws {
    let command = try command(Array("a".utf8), try target())
    #expect(!command.text.contains("hunter2"))
    #expect(command.variables == ["TOKEN", "KEY"])
    let lines = command.lines
    #expect(lines.contains("# Export first: TOKEN KEY"))
    // The piece goes wherever the reply says.
    #expect(lines.contains("    https://h/*) set -- --header 'Authorization: '\"$TOKEN\" ;;"))
    #expect(lines.first == "sh -eu <<'END_OF_UPLOAD'" && lines.last == "END_OF_UPLOAD")
    #expect(lines.contains { $0.contains("It needs curl 7.81 or newer, jq, openssl.") })
  }

  @Test("a server that another one has chosen gets no credentials, even if it is the target's own")
  func otherServers() throws {
    let target = try target {
      $0.begin?.address = .own(Template(literal: "https://elsewhere/begin"))
    }
    let command = try command(Array("a".utf8), target)
    #expect(command.text.contains("https://elsewhere/begin") && command.text.contains("$begin_id"))
    #expect(!command.text.contains("Authorization") && command.variables == ["KEY"])
  }

  @Test("an address in the reply to another server's last piece gets no credentials")
  func addressFromElsewhere() throws {
    let finish = try Template(
      "{begin.place}", scope: [.begun], lookup: Template.Lookup(environment: { _ in "" }))
    let target = try target {
      $0.begin = nil
      $0.piece.address = .own(Template(literal: "https://h/piece"))
      $0.piece.beginning = [
        .init(name: "place", place: ReplyValue(.pointer(try JSONPointer("/place"))))
      ]
      $0.last = PieceCall(method: "PUT")
      $0.last?.address = .own(Template(literal: "https://elsewhere/last"))
      $0.finish = PieceCall(method: "POST")
      $0.finish?.address = .reply(finish)
    }
    let lines = try command(Array("a".utf8), target).lines
    let last = try #require(lines.lastIndex { $0.contains("begin_place") })
    #expect(!lines[last...].contains { $0.contains("Authorization") }, "\(lines)")
  }

  @Test("a file goes whole if it is small, in one command")
  func small() throws {
    let target = try target { $0.above = 10 }
    #expect(try command(Array("a".utf8), target).text.hasPrefix("curl "))
    #expect(try command(Array("a".utf8), target, size: 11).text.hasPrefix("sh "))
  }

  @Test("the first piece's values are kept even if it is also the last piece")
  func onlyPiece() throws {
    let target = try target {
      $0.last = $0.piece
      $0.piece.beginning = [
        .init(name: "key", place: ReplyValue(.pointer(try JSONPointer("/key"))))
      ]
      $0.finish = PieceCall(method: "POST")
    }
    let lines = try command(Array("a".utf8), target, size: 3).lines
    let (first, other) = try #require(
      lines.firstIndex { $0.contains("begin_key=$(") }.map { (lines[..<$0], lines[$0...]) })
    #expect(first.last { $0.contains("$last") }?.contains("= true") == true)
    #expect(other.count { $0.contains("begin_key=$(") } == 2)
  }

  @Test("what a script cannot do is said")
  func impossible() throws {
    #expect(throws: InvalidInput.self) { try command([0x61, 0], try target()) }
    let large = try target {
      $0.max = 4
      $0.maxPieces = 2
    }
    #expect(throws: InvalidInput.self) { try command(Array("a".utf8), large) }
    let taken = try target {
      $0.piece.headers = [
        Target.Field(
          name: "A", value: try Template("{env.offset}", environment: { _ in "hunter2" }))
      ]
    }
    let error = #expect(throws: InvalidInput.self) { try command(Array("a".utf8), taken) }
    #expect(error?.description.contains("called offset") == true)
  }

  @Test(
    "whatever the file is called, a shell reads the script as it is meant",
    arguments: ["sh", "bash"])
  func names(_ shell: String) throws {
    let target = try target()
    for name in ShellWordTests.nasty where !name.isEmpty && !name.contains(0) {
      let folder = try ScratchDirectory()
      // The script stops at the first thing that it does with the file: its size is another.
      let text = try command(name, target).text.replacing(
        "[ \"$(wc -c", with: "printf %s \"$file\" > file; exit 0; [ \"$(wc -c")
      try Data("cd '\(folder.path(""))'; export TOKEN=t KEY=k\n\(text)\n".utf8)
        .write(to: URL(filePath: folder.path("script")))
      try Tool.run(shell, [folder.path("script")])
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
      #expect(names.sorted() == ["file", "script"], "\(shell) ran something: \(names)")
      #expect(
        try Data(contentsOf: URL(filePath: folder.path("file"))) == Data(Array("./".utf8) + name))
    }
  }

  /// A call of a function of the script, and what it prints.
  struct Row: Sendable, CustomTestStringConvertible {
    let call: String
    let output: String
    var head = ""
    var reply = ""
    var testDescription: String { call }
  }

  static let text = "a b&c<d>\"e\"'f'\\g%~/ü"

  static let rows: [Row] = [
    Row(call: "pad 5 7", output: "00007"), Row(call: "pad 2 123", output: "123"),
    Row(call: "url \"$text\"", output: PercentEncoding.encode(text)),
    Row(call: "xml \"$text\"", output: Template.Filter.xml(text)),
    Row(call: "escaped \"$text\"", output: Template.Filter.quoted(text)),
    Row(call: "in_base64 \"$text\"", output: Template.Filter.base64(text)),
    Row(call: "digest md5 abc", output: "900150983cd24fb0d6963f7d28e17f72\n"),
    Row(call: "digest64 sha1 abc", output: "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
    Row(
      call: "hmac sha1 key 'The quick brown fox jumps over the lazy dog'",
      output: "de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9\n"),
    Row(
      call: "hmac64 sha256 key 'The quick brown fox jumps over the lazy dog'",
      output: "97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg="),
    Row(
      call: "value header etag", output: "\"x y\"",
      head:
        "HTTP/1.1 100 Continue\r\nETag: no\r\n\r\nHTTP/1.1 200\r\neTaG:\t\"x y\" \r\nX-ETag: z\r\n\r\n"
    ),
    Row(call: "value pointer '.[\"a\"] | .[1]'", output: "ü", reply: #"{"a":[0,"ü"]}"#),
    Row(
      call: "value pointer '.[\"n\"]'", output: "9007199254740991",
      reply: #"{"n":9007199254740991}"#),
    Row(
      call: "value pattern '<Id>(.+?)</Id>' < \"$work/reply\"", output: "a.b",
      reply: "<x>\n<Id>a.b</Id><Id>c</Id>"),
    Row(call: "value pattern 'b+' < \"$work/reply\"", output: "bb", reply: "abbc"),
    Row(call: "absolute https://h /a", output: "https://h/a"),
    Row(call: "absolute http://h http://i/a", output: "http://i/a"),
  ]

  @Test("the functions of a script do what hoist does", arguments: rows, ["sh", "bash"])
  func functions(_ row: Row, _ shell: String) throws {
    #expect(try run(row, shell) == row.output)
  }

  @Test(
    "what is missing in a reply, or would not be safe, stops the script",
    arguments: [
      Row(call: "value header etag", output: "", head: "HTTP/1.1 200\r\n\r\n"),
      Row(call: "value pointer '.[\"a\"]'", output: "", reply: "{}"),
      Row(call: "value pointer '.[\"a\"]'", output: "", reply: "<p>"),
      Row(call: "value pointer '.[\"a\"]'", output: "", reply: #"{"a":"x\ny"}"#),
      Row(call: "value pattern b < \"$work/reply\"", output: "", reply: "a"),
      Row(call: "absolute https://h http://h/a", output: ""),
      Row(call: "absolute https://h part", output: ""),
    ])
  func stops(_ row: Row) throws {
    #expect(throws: (any Error).self) { try run(row, "sh") }
  }

  private func run(_ row: Row, _ shell: String) throws -> String {
    let folder = try ScratchDirectory()
    try folder.write("head", Array(row.head.utf8))
    try folder.write("reply", Array(row.reply.utf8))
    let script =
      ShellFunction.allCases.map(\.definition).joined(separator: "\n") + """

        stop() { printf '%s\\n' "$1" >&2; exit 1; }
        export LC_ALL=C
        work='\(folder.path(""))'
        text=\(ShellWord.quoted(Self.text))
        result=$(\(row.call); echo .)
        printf %s "${result%.}"
        """
    try folder.write("script", Array(script.utf8))
    return try Tool.run(shell, ["-eu", folder.path("script")])
  }
}

struct PieceCountTests {
  private func point(
    size: Int64 = 10, start: Int64, offset: Int64, done: PieceSet? = nil, hasTaken: Bool = true
  ) -> ResumePoint {
    var pieces = PieceProgress(id: "i", size: 4, seal: "")
    (pieces.done, pieces.hasTaken) = (done, hasTaken)
    var point = ResumePoint(
      url: URL(filePath: "/"), target: "t",
      identity: FileIdentity(device: 1, inode: 2, size: size, modified: 3), pieces: pieces)
    (point.start, point.offset) = (start, offset)
    return point
  }

  @Test("the count is that of the point, whatever the order of the pieces")
  func counts() {
    #expect(point(start: 0, offset: 8).pieceCount == PieceCount(count: 3, sent: 2))
    #expect(point(start: 4, offset: 10).pieceCount == PieceCount(count: 3, resumed: 1, sent: 2))
    // The server has taken half of a piece.
    #expect(point(start: 0, offset: 6).pieceCount == PieceCount(count: 3, sent: 1))
    // The last one, of two bytes, came first.
    var last = PieceSet()
    last.insert(2)
    #expect(point(start: 0, offset: 2, done: last).pieceCount == PieceCount(count: 3, sent: 1))
    last.insert(0)
    #expect(
      point(start: 2, offset: 6, done: last).pieceCount
        == PieceCount(count: 3, resumed: 1, sent: 1))
    #expect(
      point(size: 0, start: 0, offset: 0, hasTaken: false).pieceCount
        == PieceCount(count: 1, sent: 0))
    #expect(point(size: 0, start: 0, offset: 0).pieceCount == PieceCount(count: 1, sent: 1))
    var other = point(start: 0, offset: 0)
    other.pieces = nil
    #expect(other.pieceCount == nil)
  }

  @Test("in words")
  func words() {
    #expect(PieceCount(count: 1, sent: 1).words == "1 piece")
    #expect(PieceCount(count: 12, sent: 12).words == "12 pieces")
    #expect(
      PieceCount(count: 12, resumed: 9, sent: 3).words
        == "12 pieces, 3 of them sent by this attempt")
    #expect(PieceCount(count: 12, sent: 3).words == "3 of 12 pieces")
    #expect(
      PieceCount(count: 12, resumed: 9, sent: 2).words
        == "11 of 12 pieces, 2 of them sent by this attempt")
  }
}
