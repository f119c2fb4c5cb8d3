import Foundation
import Testing

@testable import MediaTypes

/// The first bytes of a file, what libmagic says that they are, and what speaks against the name `photo.jpg`.
struct ContentRow: Sendable, CustomTestStringConvertible {
  let format: String
  let type: String
  /// Nil where the bytes say nothing without doubt, or the name is right.
  let contradiction: String?
  let base64: String
  /// What libmagic 5.46 calls it, if that is another type.
  let later: String?
  var testDescription: String { format }

  init(
    _ format: String, _ type: String, _ contradiction: String?, _ base64: String,
    later: String? = nil
  ) {
    (self.format, self.type, self.contradiction) = (format, type, contradiction)
    (self.base64, self.later) = (base64, later)
  }

  var bytes: [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

  static let all: [ContentRow] = [
    ContentRow(
      "7z", "application/x-7z-compressed", "application/x-7z-compressed",
      "N3q8ryccAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ContentRow(
      "avi", "video/x-msvideo", "video/x-msvideo",
      "UklGRiQAAABBVkkgTElTVA=="),
    ContentRow(
      "bz2", "application/x-bzip2", "application/x-bzip2",
      "QlpoOTFBWSZTWXdLsBQAAAAAgABAIAAhGEaC7kinChIO6XYCgA=="),
    ContentRow(
      "deb", "application/vnd.debian.binary-package", "application/vnd.debian.binary-package",
      "ITxhcmNoPgpkZWJpYW4tYmluYXJ5ICAgMCAgICAgICAgICAgMCAgICAgMCAgICAgMTAwNjQ0ICA0"
        + "ICAgICAgICAgYAoyLjAK"),
    ContentRow(
      "elf", "application/x-sharedlib",
      "application/x-executable",
      "f0VMRgIBAQAAAAAAAAAAAAMAPgABAAAA0CMAAAAAAABAAAAAAAAAAJCDAAAAAAAAAAAAAEAAOAAN"
        + "AEAAHwAeAAYAAAAEAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAA2AIAAAAAAADYAgAAAAAAAAgA"
        + "AAAAAAAAAwAAAAQAAAA="),
    ContentRow(
      "epub", "application/epub+zip", "application/zip",
      "UEsDBBQAAAAAAHNYdl1vYassFAAAABQAAAAIAAAAbWltZXR5cGVhcHBsaWNhdGlvbi9lcHViK3pp"
        + "cFBLAQIUAxQAAAAAAHNYdl1vYassFAAAABQAAAAIAAAAAAAAAAAAAACAAQAAAABtaW1ldHlwZVBL"
        + "BQYAAAAAAQABADYAAAA6AAAAAAA="),
    ContentRow(
      "flac", "audio/flac", "audio/flac",
      "ZkxhQwAAACIQABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ContentRow(
      "gif", "image/gif", "image/gif",
      "R0lGODlhAQABAIAAAA=="),
    ContentRow(
      "gzip", "application/gzip", "application/gzip",
      "H4sIAAAAAAACA6sAAIMW3IwBAAAA"),
    ContentRow(
      "heic", "image/heic", "video/mp4",
      "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWlj"),
    ContentRow(
      "html", "text/html", "text/html",
      "PCFET0NUWVBFIGh0bWw+CjxodG1sPjxoZWFkPjx0aXRsZT54PC90aXRsZT48L2hlYWQ+PC9odG1s"
        + "Pgo="),
    ContentRow(
      "jpeg", "image/jpeg", nil,
      "/9j/4AAQSkZJRgABAQAAAQABAAA="),
    ContentRow(
      "json", "application/json", "text/plain",
      "eyJhIjogWzEsIDJdfQo="),
    ContentRow(
      "midi", "audio/midi", "audio/midi",
      "TVRoZAAAAAYAAAABAGA="),
    ContentRow(
      "mkv", "video/x-matroska", "video/x-matroska",
      "GkXfo59ChoEBQveBAULygQRC84EIQoKIbWF0cm9za2E="),
    ContentRow(
      "mov", "video/quicktime", "video/mp4",
      "AAAAFGZ0eXBxdCAgAAAAAHF0ICA="),
    ContentRow(
      "mp3", "audio/mpeg", "audio/mpeg",
      "SUQzAwAAAAAAAP/7kGQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAA=="),
    ContentRow(
      "mp4", "video/mp4", "video/mp4",
      "AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29t"),
    ContentRow(
      "odt", "application/vnd.oasis.opendocument.text", "application/zip",
      "UEsDBBQAAAAAAHNYdl1exjIMJwAAACcAAAAIAAAAbWltZXR5cGVhcHBsaWNhdGlvbi92bmQub2Fz"
        + "aXMub3BlbmRvY3VtZW50LnRleHRQSwECFAMUAAAAAABzWHZdXsYyDCcAAAAnAAAACAAAAAAAAAAA"
        + "AAAAgAEAAAAAbWltZXR5cGVQSwUGAAAAAAEAAQA2AAAATQAAAAAA"),
    ContentRow(
      "ogg", "audio/ogg", "application/ogg",
      "T2dnUwACAAAAAAAAAAABAAAAAAAAAAAAAAABHgF2b3JiaXMAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
    ContentRow(
      "pdf", "application/pdf", "application/pdf",
      "JVBERi0xLjcKJeLjz9MK"),
    ContentRow(
      "pe", "application/vnd.microsoft.portable-executable",
      "application/vnd.microsoft.portable-executable",
      "TVqQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAQAAAAFBFAABkhgIAAAAAAAAAAAAAAAAA8AAiAAsCAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
    ContentRow(
      "png", "image/png", "image/png",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"),
    ContentRow(
      "ps", "application/postscript", "application/postscript",
      "JSFQUy1BZG9iZS0zLjAK"),
    ContentRow(
      "py", "text/x-script.python", "text/plain",
      "IyEvdXNyL2Jpbi9lbnYgcHl0aG9uMwpwcmludCgxKQo="),
    ContentRow(
      "rar", "application/x-rar", "application/vnd.rar",
      "UmFyIRoHAQAAAAAAAAAAAA==", later: "application/vnd.rar"),
    ContentRow(
      "sh", "text/x-shellscript", "text/plain",
      "IyEvYmluL3NoCmVjaG8geAo="),
    ContentRow(
      "sqlite", "application/vnd.sqlite3", "application/vnd.sqlite3",
      "U1FMaXRlIGZvcm1hdCAzABAAAQEAQCAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="),
    ContentRow(
      "svg", "image/svg+xml", "text/plain",
      "PD94bWwgdmVyc2lvbj0iMS4wIj8+CjxzdmcgeG1sbnM9Imh0dHA6Ly93d3cudzMub3JnLzIwMDAv"
        + "c3ZnIi8+Cg=="),
    ContentRow(
      "tar", "application/x-tar", "application/x-tar",
      "YQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADAwMDA2NDQAMDAwMDAw"
        + "MAAwMDAwMDAwADAwMDAwMDAwMDAxADAwMDAwMDAwMDAwADAwNjA3NwAgMAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB1c3RhcgAwMAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ContentRow(
      "text", "text/plain", "text/plain",
      "aGVsbG8sIHdvcmxkCg=="),
    ContentRow(
      "tiff", "image/tiff", "image/tiff",
      "SUkqAAgAAAA="),
    ContentRow(
      "wasm", "application/wasm", "application/wasm",
      "AGFzbQEAAAA="),
    ContentRow(
      "webm", "video/webm", "video/x-matroska",
      "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibQ=="),
    ContentRow(
      "webp", "image/webp", "image/webp",
      "UklGRiQAAABXRUJQVlA4IBgAAAA="),
    ContentRow(
      "woff2", "font/woff2", "font/woff2",
      "d09GMgABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ContentRow(
      "xml", "text/xml", "text/plain",
      "PD94bWwgdmVyc2lvbj0iMS4wIj8+CjxhLz4K"),
    ContentRow(
      "xz", "application/x-xz", "application/x-xz",
      "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAAeAAAAABFru+D+O4WCgABGQGlLIHMH7bzfQEAAAAA"
        + "BFla"),
    ContentRow(
      "zip", "application/zip", "application/zip",
      "UEsDBBQAAAAAAHNYdl2DFtyMAQAAAAEAAAAFAAAAYS50eHR4UEsBAhQDFAAAAAAAc1h2XYMW3IwB"
        + "AAAAAQAAAAUAAAAAAAAAAAAAAIABAAAAAGEudHh0UEsFBgAAAAABAAEAMwAAACQAAAAAAA=="),
    ContentRow(
      "zstd", "application/zstd", "application/zstd",
      "KLUv/SABCQAAeA=="),
  ]
}

@Suite("Contents without a name, and against one")
struct ContentTypesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("what the bytes say where the name says nothing", arguments: ContentRow.all)
  func byContent(_ row: ContentRow) throws {
    try folder.write(row.bytes, to: "noname")
    let guesser = MediaTypeGuesser(tables: [.builtIn], content: ContentSniffer())
    let guess = guesser.guess(path: "\(folder.path)/noname")
    #expect(
      [row.type, row.later].compactMap { $0.map { "\($0) by content (libmagic)" } }
        .contains(guess.description), "\(guess)")
    #expect(guess.contradiction == nil)
  }

  @Test("what the bytes say where the name says something else", arguments: ContentRow.all)
  func againstTheName(_ row: ContentRow) throws {
    try folder.write(row.bytes, to: "photo.jpg")
    let guesser = MediaTypeGuesser(tables: [.builtIn], content: ContentSniffer())
    let guess = guesser.guess(path: "\(folder.path)/photo.jpg")
    #expect(guess.type.description == "image/jpeg", "the name is believed all the same")
    #expect(guess.contradiction?.description == row.contradiction)
    let words = row.contradiction.map { ", but its content is \($0)" } ?? ""
    #expect(guess.description == "image/jpeg by extension .jpg (built-in)\(words)")
  }

  /// Under which extensions a format is common, where its own is not the only one.
  private static let names = [
    "jpeg": ["jpg", "jpeg"],
    "zip": ["zip", "docx", "xlsx", "pptx", "jar", "apk", "odt", "epub", "cbz", "kmz", "3mf"],
    "gzip": ["gz", "tgz", "tar.gz", "svgz"], "elf": ["so", "o", "appimage", "bin"],
    "pe": ["exe", "dll"], "mp4": ["mp4", "m4a", "m4v", "mov"], "mkv": ["mkv", "mka", "webm"],
    "ogg": ["ogg", "oga", "opus", "ogv"], "tiff": ["tif", "dng", "nef", "cr2", "arw"],
    "sqlite": ["sqlite", "db", "gpkg"], "text": ["txt", "log", "conf"], "ps": ["ps", "eps", "ai"],
    "pdf": ["pdf", "ai"], "xz": ["xz", "tar.xz"], "deb": ["deb", "a"],
    "html": ["html", "htm", "php"], "json": ["json", "ipynb", "geojson"],
  ]

  @Test("a format by its usual name is never contradicted", arguments: ContentRow.all)
  func itsOwnName(_ row: ContentRow) throws {
    for tables in [NameTable.ofThisMachine() + [.builtIn], [.builtIn]] {
      let guesser = MediaTypeGuesser(tables: tables, content: ContentSniffer())
      for name in Self.names[row.format] ?? [row.format] {
        try folder.write(row.bytes, to: "x.\(name)")
        let guess = guesser.guess(path: "\(folder.path)/x.\(name)")
        #expect(guess.contradiction == nil, "\(guess)")
      }
    }
  }

  @Test("no picture, document or archive begins with text, whatever it is called")
  func textsInDisguise() throws {
    let page = "<!DOCTYPE html>\n<title>503</title>", table = "day;sold\n1;2\n"
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"
    for name in ["a.png", "a.jpg", "a.webp", "a.pdf", "a.mp4", "a.zip", "a.docx", "a.gz"] {
      for (text, type) in [(page, "text/html"), (table, "text/plain"), (pointer, "text/plain")] {
        try folder.write(Array(text.utf8), to: name)
        let guess = MediaTypeGuesser.system.guess(path: "\(folder.path)/\(name)")
        #expect(guess.contradiction?.description == type, "\(guess)")
      }
    }
    // An empty file says nothing, and these may be texts.
    for (name, text) in [
      ("a.png", ""), ("a.eps", table), ("a.rtf", table), ("a.svg", page), ("a.ai", table),
      ("a.bin", table), ("a.doc", page), ("a.xls", page), ("a.asx", table), ("a.dot", table),
      ("a.pdf", "scanned\n%PDF-1.4\n"), ("a.ts", table), ("a.fodt", page), ("a.unknown", table),
    ] {
      try folder.write(Array(text.utf8), to: name)
      let guess = MediaTypeGuesser.system.guess(path: "\(folder.path)/\(name)")
      #expect(guess.contradiction == nil, "\(guess)")
    }
  }

  @Test("no text begins like a picture or a program, whatever it is called")
  func texts() throws {
    let elf: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    for (name, bytes) in [("notes.txt", ContentTests.png), ("main.swift", elf)] {
      try folder.write(bytes, to: name)
      let guess = MediaTypeGuesser.system.guess(path: "\(folder.path)/\(name)")
      #expect(guess.contradiction != nil, "\(guess)")
    }
  }
}
