import Foundation
import MultipartForm
import TestSupport
import Testing

/// Files that are written to in ways that leave their size and their time of change as they were. What is
/// read is what the file held at one moment, or an error.
@Suite("A file that is written to while it is read") struct TornFileTests {
  /// How a file's bytes come to be others.
  enum Writer: CaseIterable {
    /// Through a mapping whose pages had been written to before: no time changes.
    case mapping
    /// Through a descriptor, and then the time of change is set back.
    case settingBack
    /// Both: nothing changes but the bytes, as far as size and time of content go.
    case mappingAnew
  }

  /// What changes about a file without its content changing.
  enum Bystander: CaseIterable {
    case permissions, hardLink, openForWriting, mapped, renamed, movedAway, removed
  }

  private let scratch: ScratchDirectory
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    path = scratch.path("file")
  }

  /// Makes the file, all ones.
  /// - Parameter isOld: whether its last change lies so far back that its times can be trusted.
  private func make(_ size: Int, isOld: Bool) async throws {
    try scratch.write("file", [UInt8](repeating: 1, count: size))
    if isOld { try await FileChange.waitUntilOld(path) }
  }

  @Test(
    "is read whole as it was at one moment, or not to its end",
    arguments: Writer.allCases, [false, true])
  func torn(writer: Writer, isOld: Bool) async throws {
    // The last one is watched.
    for size in [300_000, 5 << 20, 9 << 20] {
      for readBefore in size > 8 << 20 ? [size / 2] : [1, size / 2, size - 1] {
        try? FileManager.default.removeItem(atPath: path)
        // Waiting for each would take half a minute.
        try await make(size, isOld: isOld && readBefore == size / 2)
        let mapping = writer == .mapping ? try MappedFile(path, size) : nil
        mapping?.fill(with: 1)
        let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
        var content = [UInt8](repeating: 0, count: size)
        var count = try content.withUnsafeMutableBytes {
          try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<readBefore]))
        }
        if let mapping { mapping.fill(with: 2) } else { try rewrite(writer, size) }
        do {
          while count < size {
            count += try content.withUnsafeMutableBytes {
              let end = min(count + 10_000, size)
              return try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count..<end]))
            }
          }
          // All of it had been read before it was written to; only its last byte was held back.
          #expect(readBefore == size - 1, "a torn file passed")
          #expect(Data(content) == Data(repeating: 1, count: size))
        } catch {
          #expect(error as? BodyError == .file(FileError(FileLocation(path), .modified)))
          #expect(reader.offset < size)
        }
      }
    }
  }

  /// Writes twos and leaves the time of change as it was.
  private func rewrite(_ writer: Writer, _ size: Int) throws {
    if writer == .mappingAnew {
      try FileChange.keepingTimes(of: path) { try MappedFile(path, size).fill(with: 2) }
    } else {
      try FileChange.rewrite(path, [UInt8](repeating: 2, count: size))
    }
  }

  /// Changes what the bystander changes about the file; to open it is up to the test.
  private func touch(for bystander: Bystander) {
    switch bystander {
    case .permissions: #expect(chmod(path, 0o400) == 0)
    case .hardLink: #expect(link(path, path + ".link") == 0)
    case .renamed:
      #expect(rename(path, path + ".away") == 0)
      #expect(rename(path + ".away", path) == 0)
    case .movedAway: #expect(rename(path, path + ".away") == 0)
    case .removed: #expect(unlink(path) == 0)
    case .openForWriting, .mapped: break
    }
  }

  @Test(
    "what does not change its content does no harm", arguments: Bystander.allCases, [false, true])
  func untouched(bystander: Bystander, isOld: Bool) async throws {
    // Summed, and watched.
    for size in [5 << 20, 9 << 20] { try await untouched(bystander, size, isOld: isOld) }
  }

  private func untouched(_ bystander: Bystander, _ size: Int, isOld: Bool) async throws {
    for name in ["file", "file.link", "file.away"] {
      try? FileManager.default.removeItem(atPath: scratch.path(name))
    }
    try await make(size, isOld: isOld)
    var mapping: MappedFile?
    var file: FileHandle?
    if bystander == .mapped { mapping = try MappedFile(path, size) }
    if bystander == .openForWriting { file = try FileHandle(forUpdating: URL(filePath: path)) }
    mapping?.fill(with: 1)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    var content = [UInt8](repeating: 0, count: size / 2)
    #expect(try content.withUnsafeMutableBytes { try reader.read(into: $0) } == size / 2)
    touch(for: bystander)
    #expect(try Data(content + reader.rest()) == Data(repeating: 1, count: size))
    try file?.close()
  }

  @Test("in memory no time tells of a mapping that is written to, so the file is read twice")
  func tornInMemory() async throws {
    let path = "/dev/shm/hoist-test-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    let size = 3 << 20
    #expect(FileManager.default.createFile(atPath: path, contents: Data(repeating: 1, count: size)))
    try await FileChange.waitUntilOld(path)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    var content = [UInt8](repeating: 0, count: size / 2)
    _ = try content.withUnsafeMutableBytes { try reader.read(into: $0) }
    try MappedFile(path, size).fill(with: 2)
    #expect(throws: BodyError.file(FileError(FileLocation(path), .modified))) {
      try reader.rest()
    }
  }

  @Test("a reader that let go of the file in between still sees it", arguments: [3 << 20, 9 << 20])
  func letGo(size: Int) async throws {
    try await make(size, isOld: false)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    var content = [UInt8](repeating: 0, count: 1 << 20)
    _ = try content.withUnsafeMutableBytes { try reader.read(into: $0) }
    reader.close()
    try rewrite(.settingBack, size)
    #expect(throws: BodyError.self) { try reader.rest() }
    reader.rewind()
    #expect(try content.withUnsafeMutableBytes { try reader.read(into: $0) } == content.count)
    reader.close()
    touch(for: .permissions)
    #expect(try Data(content + reader.rest()) == Data(repeating: 2, count: size))
  }

  @Test("who has it open for writing is seen, and nobody is kept waiting")
  func lease() throws {
    try scratch.write("file", [1])
    #expect(FileIdentity.isOpenForWriting(FileLocation(path)) == false)
    let file = try FileHandle(forUpdating: URL(filePath: path))
    #expect(FileIdentity.isOpenForWriting(FileLocation(path)) == true)
    try file.close()
    #expect(FileIdentity.isOpenForWriting(FileLocation(path)) == false)
    #expect(FileIdentity.isOpenForWriting("/nonexistent") == nil)
    // A lease that was left would make this one fail.
    let again = open(path, O_WRONLY | O_NONBLOCK)
    #expect(again >= 0)
    close(again)
  }
}
