import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import Sessions

/// In nanoseconds, such a time does not fit into 64 bits.
@Suite("Files and folders from after 2262") struct FarTimeTests {
  private static let time = 15_000_000_000
  let folder: ScratchDirectory

  init() throws { folder = try ScratchDirectory() }

  /// Whether the file system can hold the time.
  private func date(_ path: String) throws -> Bool {
    let times = [timespec(tv_sec: Self.time, tv_nsec: 7), timespec(tv_sec: Self.time, tv_nsec: 7)]
    try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    var status = stat()
    return stat(path, &status) == 0 && status.st_mtim.tv_sec == Self.time
  }

  @Test("keep their time")
  func file() throws {
    try folder.write("a", [1])
    guard try date(folder.path("a")) else { return }
    let identity = try FileIdentity(of: FileLocation(folder.path("a")))
    #expect(identity.modified == Int128(Self.time) * 1_000_000_000 + 7)
    let stored = try JSONEncoder().encode(identity)
    #expect(try JSONDecoder().decode(FileIdentity.self, from: stored) == identity)
  }

  @Test("may hold companions")
  func companions() throws {
    try folder.write("a.jpg", [1])
    try folder.write("a.jpg.xmp", [1])
    guard try date(folder.path) else { return }
    var rule = CompanionRule()
    rule.files = [
      try Template(
        "{file.name}.xmp", scope: CompanionRule.scope,
        lookup: Template.Lookup(environment: { _ in nil }))
    ]
    let finder = CompanionFinder([rule])
    #expect(finder.owner(of: FileLocation(folder.path("a.jpg.xmp"))) == "a.jpg")
  }
}
