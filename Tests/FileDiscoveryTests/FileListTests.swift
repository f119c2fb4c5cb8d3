import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import FileDiscovery

@Suite("A list of files")
struct FileListTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// The names in a list with these bytes, as bytes, and how it ended.
  private func read(
    _ bytes: [UInt8], isNULSeparated: Bool = false
  ) throws -> ([[UInt8]], FileList.End) {
    let list = try FileList(
      FileLocation(scratch.write("list", bytes)), isNULSeparated: isNULSeparated)
    var names: [[UInt8]] = []
    let end = list.forEach(until: CancellationToken()) {
      names.append($0.bytes)
      return true
    }
    return (names, end)
  }

  @Test("a byte order mark and CRs at the ends of lines are no part of a name")
  func windows() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let (names, end) = try read(mark + Array("a.jpg\r\n\r\nb\rc.jpg\r\nd.jpg\r".utf8))
    #expect(names == ["a.jpg", "b\rc.jpg", "d.jpg"].map { Array($0.utf8) } && end == .over)
    #expect(try read(mark).0 == [] && read(Array("\u{FEFF}".utf8)).1 == .over)
    #expect(try read(mark + Array("a\0\r\0".utf8), isNULSeparated: true).0 == [[0x61], [0x0D]])
    #expect(try read([0xFF, 0x0A]).0 == [[0xFF]])
  }

  @Test("a CR belongs to the name of a file that is there under it")
  func nameWithCR() throws {
    let path = try scratch.write("odd\r", [])
    let lines = "\(path)\n\(scratch.path("list"))\r\n"
    #expect(try read(Array(lines.utf8)).0 == [Array(path.utf8), Array(scratch.path("list").utf8)])
  }

  @Test("a list in another encoding or with other separators is an error, and none of it is used")
  func otherFormats() throws {
    for order: [UInt8] in [[0xFF, 0xFE, 0x61, 0, 0x0A, 0], [0xFE, 0xFF, 0, 0x61, 0, 0x0A]] {
      let (names, end) = try read(order)
      #expect(names == [] && end == .failed("it is written in UTF-16; save it as UTF-8"))
    }
    let (names, end) = try read(Array("a\0b\0".utf8))
    let words = "its names are separated by NULs instead of line breaks; add -0"
    #expect(names == [] && end == .failed(words))
  }

  @Test("the first name of a list that is still being written is not held back")
  func early() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let list = try FileList(nil, isNULSeparated: false, standardInput: ends[0])
    #expect(write(ends[1], "a\n", 2) == 2)
    let stop = CancellationToken()
    let end = list.forEach(until: stop) {
      #expect($0 == "a")
      stop.cancel()
      return true
    }
    #expect(end == .left)
    ends.forEach { close($0) }
  }
}
