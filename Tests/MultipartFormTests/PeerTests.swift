import Foundation
import MultipartForm
import MultipartOracle
import TestSupport
import Testing

/// Our forms into parsers that we did not write, and other senders' forms into our parser.
@Suite(.needs("peers", "go")) struct PeerTests {
  /// A part as the peers' scripts write it and read it.
  struct PeerPart: Codable {
    var name: String
    var fileName: String?
    var contentType: String?
    var typePrefix: String?
    var content: Data
  }

  struct PeerForm: Codable {
    var sender: String?
    var contentType: String
    var body: Data
    var parts: [PeerPart]
    var refused: String?
  }

  static let cases = Effort.of(500, long: 2_000)

  /// Random forms, one in JSON on each line. Their names are plain, because parsers differ in what
  /// they make of escapes; see `EncodingTests` for those.
  private func writeCases(to path: String) throws {
    var random = SplitMix64(seed: 20_26)
    let files = try RandomForm.Files(seed: 1)
    let encoder = JSONEncoder()
    var lines = Data()
    for _ in 0..<Self.cases {
      let sample = try RandomForm(files: files, plainNames: true, using: &random)
      let body = try FormBody(sample.form)
      let form = PeerForm(
        contentType: body.contentType, body: Data(try body.bytes()),
        parts: sample.expected.map {
          PeerPart(
            name: $0.name, fileName: $0.fileName, contentType: $0.contentType,
            content: Data($0.content))
        })
      lines += try encoder.encode(form) + [0x0A]
    }
    try lines.write(to: URL(filePath: path))
  }

  @Test("random forms into Python's email, Werkzeug, python-multipart and Go's mime/multipart")
  func ourFormsElsewhere() throws {
    let scratch = try ScratchDirectory()
    let cases = scratch.path("cases")
    try writeCases(to: cases)
    let python = try Peer.python("parse_with_python.py", cases)
    #expect(
      python == "email \(Self.cases)\nwerkzeug \(Self.cases)\npython-multipart \(Self.cases)\n")
    let go = try Peer.go("parse_with_go.go", cases)
    #expect(go == "go \(Self.cases)\n")
  }

  @Test("forms of curl and requests")
  func theirForms() throws {
    let lines = try Peer.python("send_with_clients.py").split(separator: "\n")
    #expect(lines.count > 25)
    for line in lines {
      let form = try JSONDecoder().decode(PeerForm.self, from: Data(line.utf8))
      let sender = form.sender ?? ""
      let boundary = try Boundary(contentType: form.contentType)
      let body = [UInt8](form.body)
      let parsed = Parsed(body, boundary: boundary)
      var random = SplitMix64(seed: UInt64(body.count))
      let pieces = Parsed(body, boundary: boundary) { Int.random(in: 1...999, using: &random) }
      #expect(pieces == parsed, "\(sender)")
      if let encoding = form.refused {
        #expect(parsed.error == .header(.transferEncoding(encoding), part: 0), "\(sender)")
        continue
      }
      #expect(parsed.error == nil, "\(sender)")
      #expect(parsed.parts.map(\.header.name) == form.parts.map(\.name), "\(sender)")
      #expect(parsed.parts.map(\.header.fileName) == form.parts.map(\.fileName), "\(sender)")
      #expect(parsed.parts.map(\.content) == form.parts.map { [UInt8]($0.content) }, "\(sender)")
      for (part, expected) in zip(parsed.parts, form.parts) {
        let type = part.header.contentType ?? ""
        #expect(type.hasPrefix(expected.typePrefix ?? ""), "\(sender)")
      }
    }
  }
}
