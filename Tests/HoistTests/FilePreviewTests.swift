import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import Screens
@testable import hoist

/// What a look into a file reads, and what of it is shown.
@Suite("A look into a file") struct FilePreviewTests {
  private static let room = Size(width: 60, height: 12)

  private static func request(_ path: String, pictures: Bool = false, room: Size = room)
    -> FilePreview.Request
  {
    FilePreview.Request(path: Array(path.utf8), room: room, showsPictures: pictures)
  }

  private static func look(_ bytes: [UInt8], room: Size = room) -> FilePreview {
    let path = "\(NSTemporaryDirectory())/\(UUID().uuidString)"
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return FilePreview(
      of: request(path, room: room), PictureDecoder(environment: [:]), isCancelled: { false })
  }

  private static func look(at path: String, pictures: Bool = false, path programs: String = "")
    -> FilePreview
  {
    var decoder = PictureDecoder(environment: ["PATH": programs])
    decoder.patience = 60
    return FilePreview(
      of: request(path, pictures: pictures), decoder, isCancelled: { false })
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

  @Test func whatIsNoTextIsCalledBinary() {
    let preview = Self.look([0, 1, 2, 0x41, 0xFF] + [UInt8](repeating: 0, count: 200))
    #expect(preview.words == "binary" && preview.isCut)
    #expect(preview.lines.first == "00 01 02 41 ff 00 00 00  ···A····")
    #expect(Self.look([0x1F, 0x8B, 8, 0, 0]).words == "gzip, compressed")
    #expect(Self.look(Array("%PDF-1.7\n".utf8) + [0, 0xFF]).words == "PDF")
    // Latin-1 is no UTF-8.
    #expect(Self.look(Array("caf".utf8) + [0xE9, 0x0A]).words == "binary")
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

  @Test(.needs("python3")) func archivesAreListed() throws {
    let folder = try ScratchDirectory()
    try Tool.run(
      "python3",
      [
        "-c",
        """
        import zipfile, tarfile, io, sys
        with zipfile.ZipFile(sys.argv[1] + "/a.zip", "w") as z:
            for i in range(30): z.writestr(f"docs/{i:02}.txt", "x" * i * 100)
            z.writestr("ü\\x1b[31m.txt", "")
        with tarfile.open(sys.argv[1] + "/gnu.tar", "w", format=tarfile.GNU_FORMAT) as t:
            for name in ["short.txt", "d/" * 100 + "long.txt"]:
                info = tarfile.TarInfo(name); info.size = 1500
                t.addfile(info, io.BytesIO(bytes(1500)))
        with tarfile.open(sys.argv[1] + "/pax.tar", "w", format=tarfile.PAX_FORMAT) as t:
            info = tarfile.TarInfo("ü" * 120); info.size = 0
            t.addfile(info)
        with zipfile.ZipFile(sys.argv[1] + "/empty.zip", "w"): pass
        """, folder.path,
      ])
    let zip = Self.look(at: folder.path("a.zip"))
    #expect(zip.words == "zip archive, 31 files" && zip.isCut && zip.lines.count == 12)
    #expect(zip.lines[0] == "     0 B  docs/00.txt" && zip.lines[11] == "  1.1 kB  docs/11.txt")
    let all = FilePreview(
      of: Self.request(folder.path("a.zip"), room: Size(width: 60, height: 99)),
      PictureDecoder(environment: [:]), isCancelled: { false })
    #expect(!all.isCut && all.lines.last == "     0 B  ü␛[31m.txt")
    let gnu = Self.look(at: folder.path("gnu.tar"))
    #expect(gnu.words == "tar archive, 2 files")
    #expect(gnu.lines[0] == "  1.5 kB  short.txt" && gnu.lines[1].hasSuffix("d/d/long.txt"))
    let pax = Self.look(at: folder.path("pax.tar"))
    #expect(pax.lines == ["     0 B  " + String(repeating: "ü", count: 120)])
    #expect(Self.look(at: folder.path("empty.zip")).words == "zip archive, 0 files")
    // Cut off anywhere, or with any byte changed, it is read to no harm.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.zip")))
    let tar = try Data(contentsOf: URL(fileURLWithPath: folder.path("gnu.tar")))
    for data in [bytes, tar] {
      for place in stride(from: 0, to: data.count, by: 397) {
        _ = Self.look(Array(data.prefix(place)))
        var broken = Array(data)
        broken[place] = 0xFF
        _ = Self.look(broken)
      }
    }
  }

  @Test(.needs("mkfifo")) func nothingButFilesAndFoldersIsOpened() throws {
    let folder = try ScratchDirectory()
    try Tool.run("mkfifo", [folder.path("pipe")])
    #expect(Self.look(at: folder.path("pipe")).words == "not a file: fifo")
    #expect(Self.look(at: "/dev/zero").words == "not a file: device")
    #expect(Self.look(at: folder.path("gone")).words == "no longer there")
    try folder.write("b.txt", [0x62])
    let preview = Self.look(at: folder.path)
    #expect(preview.words == "folder, 2 names" && preview.lines == ["b.txt", "pipe"])
  }

  /// A program that makes pictures, as far as this test knows: it prints as many bytes as it is asked for.
  private static func decoder(_ folder: ScratchDirectory, _ script: String) throws {
    try folder.write("text", Array("#!/bin/sh\n\(script)\n".utf8))
    // Written by another process: no child of this one has it open for writing, which would keep it from being run.
    let (text, program) = (folder.path("text"), folder.path("magick"))
    try Tool.run(
      "sh",
      [
        "-c",
        "cat '\(text)' > '\(program).new' && chmod 755 '\(program).new' && mv -f '\(program).new' '\(program)'",
      ])
  }

  private static let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    100,
    0, 0, 0, 50,
  ]

  @Test func aPictureIsMadeByAProgramThatCan() throws {
    let folder = try ScratchDirectory()
    try folder.write("a.png", Self.png)
    try Self.decoder(
      folder, "echo \"$@\" > '\(folder.path)/arguments'; head -c 3600 /dev/zero | tr '\\0' 'A'")
    func look(_ name: String, pictures: Bool = true) -> FilePreview {
      Self.look(at: folder.path(name), pictures: pictures, path: "\(folder.path):/usr/bin:/bin")
    }
    // The file holds 100 x 50 points, and there is room for 60 x 24.
    #expect(look("a.png").words == "PNG, 100 × 50")
    #expect(look("a.png").picture == nil, "not as many as were asked for")
    try Self.decoder(
      folder, "echo \"$@\" > '\(folder.path)/arguments'; head -c 3456 /dev/zero | tr '\\0' 'A'")
    let picture = try #require(look("a.png").picture)
    #expect(picture.width == 48 && picture.height == 24 && picture.bytes.allSatisfy { $0 == 0x41 })
    let arguments = try String(contentsOfFile: folder.path("arguments"), encoding: .utf8)
    #expect(arguments.contains("png:\(folder.path)/a.png[0] -thumbnail 48x24!"))
    #expect(look("a.png", pictures: false).picture == nil)
    // Names that it might take for something else do not reach it.
    try folder.write("b%d.png", Self.png)
    #expect(look("b%d.png").picture == nil)
    try Self.decoder(folder, "exit 1")
    #expect(look("a.png") == FilePreview("PNG, 100 × 50"))
  }

  @Test func aDecoderThatTakesTooLongIsGivenUp() throws {
    let folder = try ScratchDirectory()
    try folder.write("a.png", Self.png)
    try Self.decoder(folder, "sleep 60")
    let start = ContinuousClock.now
    let preview = FilePreview(
      of: Self.request(folder.path("a.png"), pictures: true),
      PictureDecoder(environment: ["PATH": "\(folder.path):/usr/bin:/bin"]),
      isCancelled: { ContinuousClock.now - start > .milliseconds(300) })
    #expect(preview == FilePreview("PNG, 100 × 50"))
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
