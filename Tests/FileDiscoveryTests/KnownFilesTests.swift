import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import FileDiscovery

struct KnownFilesTests {
  @Test("a file is news once for each state, and forgotten when it has gone")
  func forgets() throws {
    let scratch = try ScratchDirectory()
    let files = try (0..<3).map { FileLocation(try scratch.write("\($0)", [UInt8($0)])) }
    var known = KnownFiles()
    #expect(files.map { known.isNews($0) } == [true, true, true])
    try scratch.write("0", [1, 2, 3])
    #expect(files.map { known.isNews($0) } == [true, false, false])
    known.forgetIfGone(files[0])
    #expect(known.identities.count == 3)
    try FileManager.default.removeItem(atPath: scratch.path("1"))
    #expect(files.map { known.isNews($0) } == [false, false, false])
    known.forgetIfGone(files[1])
    #expect(known.identities.count == 2)
    try FileManager.default.removeItem(atPath: scratch.path("2"))
    known.forgetGone()
    #expect(known.identities.count == 1)
  }
}
