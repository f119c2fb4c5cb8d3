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
    case permissions, hardLink, openForWriting, mapped, renamed
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
    guard isOld else { return }
    try await wait(for: "the file to be old") { () -> Bool? in
      var (status, now) = (stat(), timespec())
      stat(path, &status)
      clock_gettime(CLOCK_REALTIME, &now)
      return now.tv_sec - status.st_ctim.tv_sec > 3 ? true : nil
    }
  }

  @Test(
    "is read whole as it was at one moment, or not to its end",
    arguments: Writer.allCases, [false, true])
  func torn(writer: Writer, isOld: Bool) async throws {
    for size in [300_000, 5 << 20] {
      for readBefore in [1, size / 2, size - 1] {
        try? FileManager.default.removeItem(atPath: path)
        // Waiting for each would take half a minute.
        try await make(size, isOld: isOld && readBefore == size / 2)
        let mapping = writer == .mapping ? try Mapping(path, size) : nil
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
          #expect(Set(content) == [1])
        } catch {
          #expect(error as? BodyError == .file(FileError(FileLocation(path), .modified)))
          #expect(reader.offset < size)
        }
      }
    }
  }

  /// Writes twos and leaves the time of change as it was.
  private func rewrite(_ writer: Writer, _ size: Int) throws {
    var status = stat()
    try #require(stat(path, &status) == 0)
    if writer == .mappingAnew {
      try Mapping(path, size).fill(with: 2)
    } else {
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.write(contentsOf: Data(repeating: 2, count: size))
      try file.close()
    }
    var times = [status.st_atim, status.st_mtim]
    try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  /// Changes what the bystander changes about the file; to open it is up to the test.
  private func touch(for bystander: Bystander) {
    switch bystander {
    case .permissions: #expect(chmod(path, 0o400) == 0)
    case .hardLink: #expect(link(path, path + ".link") == 0)
    case .renamed:
      #expect(rename(path, path + ".away") == 0)
      #expect(rename(path + ".away", path) == 0)
    case .openForWriting, .mapped: break
    }
  }

  @Test(
    "what does not change its content does no harm", arguments: Bystander.allCases, [false, true])
  func untouched(bystander: Bystander, isOld: Bool) async throws {
    let size = 5 << 20
    try await make(size, isOld: isOld)
    var mapping: Mapping?
    var file: FileHandle?
    if bystander == .mapped { mapping = try Mapping(path, size) }
    if bystander == .openForWriting { file = try FileHandle(forUpdating: URL(filePath: path)) }
    mapping?.fill(with: 1)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    var content = [UInt8](repeating: 0, count: size / 2)
    #expect(try content.withUnsafeMutableBytes { try reader.read(into: $0) } == size / 2)
    touch(for: bystander)
    #expect(try content + reader.rest() == [UInt8](repeating: 1, count: size))
    try file?.close()
  }

  @Test("sent unread, it is torn in no whole body", arguments: Writer.allCases)
  func tornUnread(writer: Writer) async throws {
    let size = 5 << 20
    try await make(size, isOld: true)
    let mapping = writer == .mapping ? try Mapping(path, size) : nil
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    let pipe = try SocketPair()
    // Whoever has it mapped could write to it unseen.
    guard try pipe.fill(from: reader, to: size / 2) else {
      #expect(writer == .mapping && reader.offset == 0)
      return withExtendedLifetime(mapping) {}
    }
    #expect(writer != .mapping)
    try rewrite(writer, size)
    #expect(throws: BodyError.file(FileError(FileLocation(path), .modified))) {
      _ = try pipe.fill(from: reader, to: size)
      _ = try reader.rest()
    }
    #expect(reader.offset < size && reader.isInDoubt)
  }

  @Test(
    "sent unread, it is doubted where only a second reading would tell",
    arguments: Bystander.allCases)
  func untouchedUnread(bystander: Bystander) async throws {
    let size = 5 << 20
    try await make(size, isOld: true)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    let pipe = try SocketPair()
    #expect(try pipe.fill(from: reader, to: size / 2))
    touch(for: bystander)
    // Only writing counts: it would change the file's times.
    let file =
      bystander == .openForWriting ? try FileHandle(forUpdating: URL(filePath: path)) : nil
    if bystander == .mapped { _ = try Mapping(path, size) }
    let isDoubtful = ![.openForWriting, .mapped].contains(bystander)
    do {
      _ = try pipe.fill(from: reader, to: size)
      let rest = try reader.rest()
      #expect(!isDoubtful)
      #expect(pipe.received + rest == [UInt8](repeating: 1, count: size))
      try reader.confirm()
    } catch BodyError.file(let error) {
      #expect(isDoubtful && reader.isInDoubt && error.reason == .modified)
    }
    try file?.close()
  }

  @Test("sent unread, it is looked at once more when the receiver is done")
  func confirmed() async throws {
    let size = 5 << 20
    try await make(size, isOld: true)
    let body = try FormBody(
      Form(parts: [.text(name: "t", value: "x"), .file(name: "f", at: FileLocation(path))]))
    let reader = body.makeReader()
    let pipe = try SocketPair()
    #expect(try !pipe.fill(from: reader, to: size), "the field's bytes are no file's")
    var head = [UInt8](repeating: 0, count: Int(body.contentRanges[1].lowerBound))
    #expect(try head.withUnsafeMutableBytes { try reader.read(into: $0) } == head.count)
    #expect(try pipe.fill(from: reader, to: size))
    #expect(pipe.received.count < size, "the end of a file is read")
    #expect(try head + pipe.received + reader.rest() == body.bytes())
    #expect(chmod(path, 0o400) == 0)
    try reader.confirm()
    let writer = try FileHandle(forWritingTo: URL(filePath: path))
    try writer.write(contentsOf: Data([2]))
    try writer.close()
    #expect(throws: BodyError.file(FileError(FileLocation(path), .modified))) {
      try reader.confirm()
    }
    try FileManager.default.removeItem(atPath: path)
    try reader.confirm()
  }

  @Test("a reader that let go of the file in between still sees it")
  func letGo() async throws {
    try await make(3 << 20, isOld: false)
    let reader = try FormBody(rawFile: FileLocation(path)).makeReader()
    var content = [UInt8](repeating: 0, count: 1 << 20)
    _ = try content.withUnsafeMutableBytes { try reader.read(into: $0) }
    reader.close()
    try rewrite(.settingBack, 3 << 20)
    #expect(throws: BodyError.self) { try reader.rest() }
    reader.rewind()
    #expect(try reader.rest() == [UInt8](repeating: 2, count: 3 << 20))
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

/// A file in memory that is written back to it.
private final class Mapping {
  private let memory: UnsafeMutableRawBufferPointer

  init(_ path: String, _ size: Int) throws {
    let file = open(path, O_RDWR)
    defer { close(file) }
    guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      start != MAP_FAILED
    else { throw WaitedInVain(description: "\(path) cannot be mapped") }
    memory = UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  deinit { munmap(memory.baseAddress, memory.count) }

  func fill(with byte: UInt8) { memory.initializeMemory(as: UInt8.self, repeating: byte) }
}

/// Two connected sockets, neither of which blocks.
private final class SocketPair {
  private var ends: [Int32] = [-1, -1]
  /// What came out at the other end.
  private(set) var received: [UInt8] = []

  init() throws {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw WaitedInVain(description: "no sockets: \(errno)")
    }
  }

  deinit { ends.forEach { _ = close($0) } }

  /// Has the reader send its bytes unread until so many came out, or they have to be read. Returns whether any were sent.
  func fill(from reader: BodyReader, to count: Int) throws -> Bool {
    while received.count < count,
      let sent = try reader.send(to: ends[0], atMost: count - received.count)
    {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let arrived = recv(ends[1], &bytes, bytes.count, 0)
      if arrived > 0 { received += bytes[..<arrived] }
      guard sent > 0 || arrived > 0 else { break }
    }
    while true {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let arrived = recv(ends[1], &bytes, bytes.count, 0)
      guard arrived > 0 else { return !received.isEmpty }
      received += bytes[..<arrived]
    }
  }
}
