import Foundation
import Testing

@testable import MediaTypes

@Suite("Types by content")
struct ContentTests {
  let folder: TemporaryFolder
  let guesser = MediaTypeGuesser(tables: [.builtIn], content: ContentSniffer())

  init() throws { folder = try TemporaryFolder() }

  static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    + [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89]

  @Test(
    "a file whose name says nothing is recognised by its bytes",
    arguments: [
      ("picture", Self.png, "image/png"),
      ("picture.unheard-of", Self.png, "image/png"),
      (".hidden", Array("%PDF-1.4\n%\u{e2}\n".utf8), "application/pdf"),
      ("note", Array("hello, world\n".utf8), "text/plain"),
    ])
  func recognised(name: String, bytes: [UInt8], type: String) throws {
    try folder.write(bytes, to: name)
    let guess = guesser.guess(path: "\(folder.path)/\(name)")
    #expect(guess.type.description == type)
    #expect(guess.source == .content)
  }

  @Test("a known extension is believed without opening the file")
  func extensionFirst() throws {
    try folder.write(Self.png, to: "really-a-picture.txt")
    #expect(
      guesser.guess(path: "\(folder.path)/really-a-picture.txt").type.description == "text/plain")
  }

  @Test("a name that is not UTF-8 is opened by its bytes")
  func rawBytes() throws {
    let path = Array(folder.path.utf8) + [0x2F, 0xFF, 0xFE]
    let descriptor = open(
      path.map { CChar(truncatingIfNeeded: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    #expect(
      Self.png.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == Self.png.count)
    close(descriptor)
    #expect(guesser.guess(path: path).type.description == "image/png")
  }

  @Test("empty files, folders, pipes, devices and missing files are unknown, each with its reason")
  func nothingToLookAt() throws {
    try folder.write([UInt8](), to: "empty")
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    func source(_ path: String) -> MediaTypeGuess.Source {
      let guess = guesser.guess(path: path)
      #expect(guess.type == .octetStream)
      return guess.source
    }
    #expect(source("\(folder.path)/empty") == .unknown(.emptyFile))
    #expect(source(folder.path) == .unknown(.notARegularFile))
    #expect(source("\(folder.path)/pipe") == .unknown(.notARegularFile))
    #expect(source("/dev/zero") == .unknown(.notARegularFile))
    #expect(source("\(folder.path)/missing") == .unknown(.unreadable(ENOENT)))
    #expect(source("") == .unknown(.unreadable(ENOENT)))
    #expect(source("a\u{0}b") == .unknown(.unreadable(ENOENT)))
    #expect(
      guesser.guess(path: "\(folder.path)/missing").source.description
        == "unknown (cannot be read: No such file or directory)")
  }

  @Test("bytes that libmagic does not know are unknown")
  func unrecognised() {
    let guess = ContentSniffer().guess(content: [0x00, 0xDE, 0xAD, 0x00, 0xBE, 0xEF, 0x01, 0x02])
    #expect(guess == MediaTypeGuess(type: .octetStream, source: .unknown(.unrecognised)))
  }

  @Test("without a libmagic database the answer is octet-stream and says so, every time")
  func noDatabase() {
    let sniffer = ContentSniffer(database: "\(folder.path)/no-such.mgc")
    for _ in 1...2 {
      let guess = sniffer.guess(content: Self.png)
      #expect(guess.type == .octetStream)
      guard case .unknown(.noDatabase(let words)) = guess.source else {
        Issue.record("\(guess)")
        continue
      }
      #expect(!words.isEmpty)
    }
  }

  private static let usual = "/usr/share/misc/magic.mgc"

  @Test(
    "the table that was given back is in memory no more, until it is needed again",
    .enabled(if: FileManager.default.isReadableFile(atPath: usual)))
  func unload() throws {
    let table = "\(folder.path)/own.mgc"
    try Data(contentsOf: URL(fileURLWithPath: Self.usual)).write(to: URL(fileURLWithPath: table))
    let sniffer = ContentSniffer(database: table)
    func isLoaded() throws -> Bool {
      try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).contains(table)
    }
    for _ in 1...2 {
      #expect(sniffer.guess(content: Self.png).type.description == "image/png")
      #expect(try isLoaded())
      sniffer.unload()
      #expect(try !isLoaded())
    }
  }

  @Test("one guesser serves many tasks at once")
  func concurrent() async throws {
    try folder.write(Self.png, to: "picture")
    try folder.write("plain words\n", to: "note")
    let (guesser, path) = (guesser, folder.path)
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let (name, type) =
            index.isMultiple(of: 2) ? ("picture", "image/png") : ("note", "text/plain")
          return guesser.guess(path: "\(path)/\(name)").type.description == type
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("the guesser of this machine knows the types that people upload")
  func system() {
    for (name, type) in [
      ("a.jpg", "image/jpeg"), ("a.pdf", "application/pdf"), ("a.png", "image/png"),
      ("a.txt", "text/plain"), ("a.mp4", "video/mp4"), ("a.zip", "application/zip"),
    ] {
      for path in ["/no/such/\(name)", name, "no/such/\(name)//"] {
        #expect(MediaTypeGuesser.system.guess(path: path).type.description == type)
      }
    }
  }
}
