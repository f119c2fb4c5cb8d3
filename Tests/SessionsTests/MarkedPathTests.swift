import Foundation
import TestSupport
import Testing

@testable import ProcessContext
@testable import Sessions

/// Paths in which a mark follows a slash or a dot.
struct MarkedPathTests {
  @Test("a file is written into its own folder, whatever its name begins with")
  func atomicFile() throws {
    for mark in CombiningMarks.all {
      let folder = try ScratchDirectory()
      try FileManager.default.createDirectory(
        atPath: folder.path("sub"), withIntermediateDirectories: false)
      // The folder around it takes no files: a temporary one there would fail.
      let path = folder.path("sub") + "/\(mark)x"
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o500], ofItemAtPath: folder.path(""))
      defer {
        try? FileManager.default.setAttributes(
          [.posixPermissions: 0o700], ofItemAtPath: folder.path(""))
      }
      try AtomicFile.write([1], to: path)
      #expect(access(path, F_OK) == 0)
    }
  }

  @Test("the longest word of a reply is cut all the same")
  func zalgo() {
    let reply = "a" + String(repeating: "\u{301}", count: 10_000)
    let quoted = LogFileHandler.quoted(String(reply.unicodeScalars.prefix(500)))
    #expect(quoted.unicodeScalars.count == 500)
  }
}
