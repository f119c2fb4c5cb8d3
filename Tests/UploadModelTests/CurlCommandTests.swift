import Foundation
import MultipartForm
import ScalarText
import TestSupport
import Testing

@testable import UploadModel

struct CurlCommandTests {
  private func target(_ url: String = "https://h/up", _ change: (inout Target) throws -> Void)
    throws -> Target
  {
    var target = Target(name: "t", url: try #require(URL(string: url)))
    try change(&target)
    return target
  }

  private func item(_ path: String, type: String = "image/jpeg") -> UploadItem {
    UploadItem(id: ItemID(1), location: FileLocation(path), mediaType: type, size: 5)
  }

  private func lines(_ target: Target, _ paths: String...) throws -> [String] {
    let items = paths.map { item($0) }
    return try CurlCommand(items, to: SendPlan(target), now: Date(timeIntervalSince1970: 0)).lines
  }

  private func secret(_ text: String) throws -> Template {
    try Template(text, environment: { _ in "hunter2" })
  }

  @Test func thePlainOne() throws {
    let plain = try target { _ in }
    #expect(
      try lines(plain, "/a/b.jpg") == [
        "curl --globoff --request POST", "https://h/up", "--http1.1",
        #"--form 'file=@"/a/b.jpg";filename="b.jpg";type=image/jpeg'"#,
      ])
  }

  @Test func secretsAreVariables() throws {
    let target = try target("http://h/up?key=hunter2&page=1") {
      $0.headers = [
        Target.Field(name: "Authorization", value: try secret("Bearer {env.TOKEN}")),
        Target.Field(name: "X-Empty", value: Template(literal: "")),
      ]
      $0.query = [Target.Field(name: "a b", value: try secret("x {env.PAGE}"))]
      $0.fields = [
        Target.Field(name: "password", value: Template(literal: "hunter2").hidden(as: "password"))
      ]
    }
    let command = try CurlCommand([item("a")], to: SendPlan(target), now: Date())
    #expect(
      Array(command.lines.dropLast()) == [
        "curl --globoff --request POST", #"'http://h/up?key='"$KEY"'&page=1&a%20b=x%20'"$PAGE""#,
        #"--header 'Authorization: Bearer '"$TOKEN""#, "--header 'X-Empty;'",
        #"--form-string password="$PASSWORD""#,
      ])
    #expect(command.variables == ["KEY", "PAGE", "TOKEN", "PASSWORD"])
    #expect(!command.text.contains("hunter2"))
  }

  @Test func whatShellsAndCurlReadIsQuoted() throws {
    let target = try target("http://h/") {
      $0.fields = [
        Target.Field(name: "it's", value: Template(literal: "@a;type=x\nb")),
        Target.Field(name: "j", value: Template(literal: #"{"a":"\"}"#), type: "application/json"),
      ]
    }
    #expect(
      try lines(target, "/a'b/c\"d\\e;f,g.jpg").dropFirst(2) == [
        #"--form-string 'it'\''s=@a;type=x'"$(printf '\015\012\142')""#,
        #"--form 'j="{\"a\":\"\\\"}";type=application/json'"#,
        #"--form 'file=@"/a'\''b/c\"d\\e;f,g.jpg";filename="c\"d\\e;f,g.jpg";type=image/jpeg'"#,
      ])
  }

  @Test func otherBodiesAndSeveralFiles() throws {
    let binary = try target("http://h/") {
      $0.body = .binary; $0.method = "PUT"
    }
    #expect(
      try lines(binary, "-") == [
        "curl --globoff --request PUT", "http://h/", "--header 'Content-Type: image/jpeg'",
        "--data-binary @./-",
      ])
    let several = try target("http://h/") { $0.fileField = Template(literal: "f") }
    #expect(try lines(several, "a", "b").count == 4)
  }

  @Test func trust() throws {
    let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    let pinned = try target { $0.tls.pin = PublicKeyPin(pin) }
    #expect(try lines(pinned, "a")[2...4] == ["--insecure", "--pinnedpubkey \(pin)", "--http1.1"])
    let own = try target {
      $0.tls = TLSRules()
      $0.tls.caFile = "/ca.pem"
      $0.tls.pin = PublicKeyPin(pin)
      $0.http = .http2
    }
    #expect(
      try lines(own, "a")[2...4] == ["--cacert /ca.pem", "--pinnedpubkey \(pin)", "--http2"])
  }

  @Test func whatCurlCannotBeTold() throws {
    let field = try target { $0.fileField = Template(literal: "a=b") }
    #expect(throws: InvalidInput.self) { try lines(field, "a") }
    let nul = try target { $0.fields = [Target.Field(name: "n", value: Template(literal: "\0"))] }
    #expect(throws: InvalidInput.self) { try lines(nul, "a") }
  }

  /// The arguments that a shell gives to the program.
  private func arguments(_ shell: String, _ command: CurlCommand, _ folder: ScratchDirectory) throws
    -> [[UInt8]]
  {
    let script =
      "curl() { printf '%s\\0' \"$@\"; }; cd '\(folder.path(""))' && { \(command.text); } > out\n"
    try Data(script.utf8).write(to: URL(filePath: folder.path("script")))
    try Tool.run(shell, [folder.path("script")])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(names.sorted() == ["out", "script"], "\(shell) ran something: \(names)")
    return try Data(contentsOf: URL(filePath: folder.path("out")))
      .split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
  }

  /// A form's part as curl reads it, undone: what stands between the quotes of its own syntax.
  private func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var (result, rest) = ([UInt8](), bytes)
    while let byte = rest.popFirst() {
      result.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return result
  }

  @Test(arguments: ["sh", "bash"]) func fileNamesReachCurlByteForByte(_ shell: String) throws {
    let plain = try target("http://h/") { _ in }
    let binary = try target("http://h/") { $0.body = .binary }
    let names =
      ShellWordTests.nasty.filter { !$0.isEmpty }
      + CombiningMarks.variants(of: "a';touch PWNED;'\"\\.txt").map { Array($0.utf8) }
    for name in names {
      let item = UploadItem(id: ItemID(1), location: FileLocation(bytes: Array("./".utf8) + name))
      let folder = try ScratchDirectory()
      let form = try arguments(
        shell, try CurlCommand([item], to: SendPlan(plain), now: Date()), folder)
      let sentName = item.fileName
      let type = item.mediaType
      let start = Array("file=@\"".utf8)
      let part = try #require(form.last)
      #expect(
        form.dropLast().map { String(decoding: $0, as: UTF8.self) } == [
          "--globoff", "--request", "POST", "http://h/", "--form",
        ])
      let path = CurlCommandTests.escaped(item.location.bytes)
      #expect(part.starts(with: start + path), "\(name)")
      #expect(unescaped(path[...]) == item.location.bytes)
      let rest =
        Array("\";filename=\"".utf8) + CurlCommandTests.escaped(sentName.rawBytes)
        + Array("\";type=\(type)".utf8)
      #expect(Array(part.dropFirst(start.count + path.count)) == rest, "\(name)")
      let body = try arguments(
        shell, try CurlCommand([item], to: SendPlan(binary), now: Date()), folder)
      #expect(body.last == Array("@".utf8) + item.location.bytes, "\(name)")
      let piece = try CurlCommand(
        ResumeRequest("PUT", binary.url), to: SendPlan(binary), Template.Values.none,
        .file(item.location),
        from: CurlCommand.Beginning(of: item.location, bytes: 1), note: "Piece 1 of 2")
      let quoted = ShellWord.quoted(bytes: item.location.bytes)
      #expect(piece.lines.first == "head -c 1 < \(quoted) | curl --globoff --request PUT")
      #expect(piece.lines.last == "--data-binary @-")
    }
  }

  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { $0 == 0x5C || $0 == 0x22 ? [0x5C, $0] : [$0] }
  }

  @Test func theNameOfAVariableEndsNoWord() throws {
    let target = try target("http://h/") {
      $0.headers = [
        Target.Field(name: "X-A", value: try secret("{env.A\";touch PWNED;\"}")),
        Target.Field(name: "X-B", value: try secret("{env.1-b}")),
      ]
    }
    let command = try CurlCommand([item("a")], to: SendPlan(target), now: Date())
    #expect(command.variables == ["A__touch_PWNED__", "_1_b"])
  }
}
