import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import Screens
@testable import Sessions

/// What a look into a file reads, and what of it is shown.
@Suite("A look into a file") struct FilePreviewTests {
  private static func look(_ bytes: [UInt8]) -> FilePreview {
    let path = "\(NSTemporaryDirectory())/\(UUID().uuidString)"
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return look(at: path)
  }

  private static func look(at path: String) -> FilePreview {
    FilePreview(of: FilePreview.Request(path: Array(path.utf8), room: Size(width: 60, height: 12)))
  }

  @Test func textIsShownFromItsBeginning() {
    #expect(Self.look(Array("one\ntwo\n".utf8)) == FilePreview("text", lines: ["one", "two"]))
    let long = (1...100).map { "line \($0)" }.joined(separator: "\n")
    let preview = Self.look(Array(long.utf8))
    #expect(preview.lines.count == 12 && preview.lines.last == "line 12" && preview.isCut)
    // More than is read, and the last character that is read is cut in half.
    let umlauts = [UInt8](repeating: 0x61, count: 65_535) + Array("ü".utf8) + [0x62]
    #expect(Self.look(umlauts).words == "text" && Self.look(umlauts).isCut)
    #expect(Self.look(Array("a\u{1B}[31mb\u{202E}c\td".utf8)).lines == ["a␛[31mb\u{FFFD}c  d"])
    #expect(Self.look([]).words == "empty")
    let wide = Self.look([UInt8](repeating: 0x61, count: 10_000))
    #expect(wide.lines.first?.count == 400)
  }

  @Test func whatIsNotTextIsNotShown() {
    let binary: [UInt8] = [0, 1, 2, 0x41, 0xFF] + [UInt8](repeating: 0, count: 200)
    #expect(Self.look(binary) == FilePreview("not text"))
    // Latin-1 is no UTF-8.
    #expect(Self.look(Array("caf".utf8) + [0xE9, 0x0A]) == FilePreview("not text"))
  }

  @Test(
    arguments: [
      (
        [
          0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0,
          2, 0x80, 0, 0, 1, 0xE0,
        ], "PNG, 640 × 480"
      ),
      (Array("GIF89a".utf8) + [0x80, 0x02, 0xE0, 0x01], "GIF, 640 × 480"),
      (
        Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [
          40, 0, 0, 0, 0x80, 2, 0, 0, 0x20, 0xFE, 0xFF, 0xFF,
        ], "BMP, 640 × 480"
      ),
      (
        [
          0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1,
          0xE0, 2, 0x80, 3,
        ], "JPEG, 640 × 480"
      ),
      (
        Array("RIFF\0\0\0\0WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0],
        "WebP, 640 × 480"
      ),
      (
        Array("RIFF\0\0\0\0WEBPVP8L".utf8) + [10, 0, 0, 0, 0x2F, 0x7F, 0xC2, 0x77, 0],
        "WebP, 640 × 480"
      ),
    ] as [([UInt8], String)])
  func picturesSayTheirSizes(_ bytes: [UInt8], _ words: String) {
    #expect(Self.look(bytes).words == words)
    // However short it is, it does no harm.
    for count in 0..<bytes.count { _ = Self.look(Array(bytes.prefix(count))) }
  }

  @Test(.needs("mkfifo")) func nothingButFilesAndFoldersIsOpened() throws {
    let folder = try ScratchDirectory()
    try Tool.run("mkfifo", [folder.path("pipe")])
    #expect(Self.look(at: folder.path("pipe")).words == "not a file: fifo")
    #expect(Self.look(at: "/dev/zero").words == "not a file: device")
    #expect(Self.look(at: folder.path("gone")).words == "the file is missing")
    try folder.write("b.txt", [0x62])
    let preview = Self.look(at: folder.path)
    #expect(preview.words == "folder, 2 names" && preview.lines == ["b.txt", "pipe"])
  }
}
