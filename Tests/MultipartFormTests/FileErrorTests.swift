import Foundation
import MultipartForm
import TestSupport
import Testing

/// What can be wrong with a file, when the body is made and while it is read.
@Suite struct FileErrorTests {
  let scratch: ScratchDirectory
  let path: String
  var location: FileLocation { FileLocation(path) }

  init() throws {
    scratch = try ScratchDirectory()
    path = try scratch.write("file", [UInt8](repeating: 1, count: 300_000))
  }

  private func reason(_ work: () throws -> Void) -> FileError.Reason? {
    do {
      try work()
    } catch BodyError.file(let error) {
      return error.reason
    } catch let error as FileError {
      return error.reason
    } catch {
      Issue.record("not a FileError: \(error)")
    }
    return nil
  }

  /// Every way to meet the file: its identity, a form, a raw body.
  private func reasons(_ file: FileLocation) -> Set<FileError.Reason?> {
    [
      reason { _ = try FileIdentity(of: file) },
      reason { _ = try FormBody(FormData(parts: [.file(name: "f", at: file)])) },
      reason { _ = try FormBody(rawFile: file) },
    ]
  }

  @Test("no file, or no directory that it could be in")
  func missing() throws {
    #expect(reasons("/nonexistent/file") == [.vanished])
    #expect(reasons(FileLocation(path + "/below")) == [.vanished])
    #expect(reasons("") == [.vanished])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("dangling"), withDestinationPath: scratch.path("nothing"))
    #expect(reasons(FileLocation(scratch.path("dangling"))) == [.vanished])
  }

  @Test("directories, FIFOs, devices and sockets, without waiting for any of them")
  func otherKinds() throws {
    #expect(reasons(FileLocation(scratch.path)) == [.notARegularFile(.directory)])
    #expect(reasons("/dev/zero") == [.notARegularFile(.device)])
    let fifo = scratch.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(reasons(FileLocation(fifo)) == [.notARegularFile(.fifo)])
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: fifo)
    #expect(reasons(FileLocation(scratch.path("link"))) == [.notARegularFile(.fifo)])

    let socket = scratch.path("socket")
    let descriptor = try bindSocket(socket)
    defer { close(descriptor) }
    #expect(reasons(FileLocation(socket)) == [.notARegularFile(.socket)])
  }

  private func bindSocket(_ path: String) throws -> Int32 {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(bound == 0)
    return descriptor
  }

  @Test("a link to itself is unreadable, and so is a name that is too long")
  func unreadable() throws {
    let loop = scratch.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(reasons(FileLocation(loop)) == [.unreadable(errno: ELOOP, during: .inspect)])
    let long = FileLocation(scratch.path(String(repeating: "x", count: 300)))
    #expect(reasons(long) == [.unreadable(errno: ENAMETOOLONG, during: .inspect)])
  }

  /// Root may read everything, so a file without permissions proves nothing there; a file that the
  /// kernel itself refuses to read does.
  @Test("permission and read errors come when the body is made, not half way")
  func refused() throws {
    #expect(
      reason { _ = try FormBody(rawFile: "/proc/self/mem") }
        == .unreadable(errno: EIO, during: .read)
    )
    if geteuid() != 0 {
      chmod(path, 0)
      #expect(
        reason { _ = try FormBody(rawFile: location) }
          == .unreadable(errno: EACCES, during: .open))
    }
  }

  @Test("a file in /proc says that it is empty, and is not believed")
  func pseudoFile() {
    #expect(reason { _ = try FormBody(rawFile: "/proc/self/status") } == .sizeUnknown)
  }

  @Test("a range must lie within the file")
  func ranges() {
    for range in [0..<300_001, 300_001..<300_001, -1..<5, 0..<Int64.max] as [Range<Int64>] {
      #expect(
        reason { _ = try FormBody(rawFile: location, range: range) }
          == .rangeOutsideFile(range, size: 300_000))
    }
    #expect(reason { _ = try FormBody(rawFile: location, range: 300_000..<300_000) } == nil)
  }

  enum Change: CaseIterable {
    case shrink, empty, grow, rewrite, replace, delete, becomeDirectory, becomeFIFO

    func apply(to path: String) throws {
      let files = FileManager.default
      switch self {
      case .shrink: truncate(path, 200_000)
      case .empty: truncate(path, 0)
      case .grow: truncate(path, 300_001)
      case .rewrite:
        // The same size: only the time tells. Set rather than waited for.
        var times = [timespec(tv_sec: 1, tv_nsec: 1), timespec(tv_sec: 1, tv_nsec: 1)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
      case .replace:
        try Data(repeating: 1, count: 300_000).write(to: URL(filePath: path + ".new"))
        #expect(rename(path + ".new", path) == 0)
      case .delete: try files.removeItem(atPath: path)
      case .becomeDirectory:
        try files.removeItem(atPath: path)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      case .becomeFIFO:
        try files.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
      }
    }

    var expected: FileError.Reason {
      switch self {
      case .shrink: .shrunk(from: 300_000, to: 200_000)
      case .empty: .shrunk(from: 300_000, to: 0)
      case .grow: .grown(from: 300_000, to: 300_001)
      case .rewrite: .modified
      case .replace: .replaced
      case .delete: .vanished
      case .becomeDirectory: .notARegularFile(.directory)
      case .becomeFIFO: .notARegularFile(.fifo)
      }
    }
  }

  @Test("changed between choosing the file and making the body", arguments: Change.allCases)
  func sinceChosen(change: Change) throws {
    let identity = try FileIdentity(of: location)
    let part = FormPart.file(name: "f", at: location, expecting: identity)
    #expect(reason { _ = try FormBody(FormData(parts: [part])) } == nil)
    try change.apply(to: path)
    #expect(reason { _ = try FormBody(FormData(parts: [part])) } == change.expected)
    #expect(
      reason { _ = try FormBody(rawFile: location, expecting: identity) } == change.expected)
  }

  @Test("changed between making the body and reading it", arguments: Change.allCases)
  func beforeReading(change: Change) throws {
    let body = try FormBody(rawFile: location)
    try change.apply(to: path)
    let reader = body.makeReader()
    #expect(reason { _ = try reader.rest() } == change.expected)
    // It stays refused, and rewinding looks again.
    #expect(reason { _ = try reader.rest() } == change.expected)
    reader.rewind()
    #expect(reason { _ = try reader.rest() } == change.expected)
  }

  @Test("changed while it is read: the last bytes are not handed out", arguments: Change.allCases)
  func whileReading(change: Change) throws {
    for readBefore in [1, 150_000, 299_999] {
      try Data(repeating: 1, count: 300_000).write(to: URL(filePath: path))
      let reader = try FormBody(rawFile: location).makeReader()
      var start = [UInt8](repeating: 0, count: readBefore)
      #expect(try start.withUnsafeMutableBytes { try reader.read(into: $0) } == readBefore)
      try change.apply(to: path)
      // A file without a place is still whole.
      let expected = change == .delete ? nil : change.expected
      #expect(reason { _ = try reader.rest(bufferSize: 1000) } == expected)
      #expect((reader.offset < 300_000) == (expected != nil))
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("a large file is looked at again each mebibyte, not only at its end")
  func midway() throws {
    let large = try scratch.write("large", [UInt8](repeating: 1, count: 8 << 20))
    let reader = try FormBody(rawFile: FileLocation(large)).makeReader()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
    #expect(truncate(large, (8 << 20) + 1) == 0)
    var read = 0
    let end = reason {
      while true { read += try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } }
    }
    #expect(end == .grown(from: 8 << 20, to: (8 << 20) + 1))
    #expect(read <= 1 << 20)
  }

  /// The look before opening cannot see what comes after it, so the opening must not wait either.
  @Test(
    "a FIFO that takes the file's place at any moment is never waited for", .timeLimit(.minutes(5)))
  func racingFIFO() async throws {
    let fifo = scratch.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let link = scratch.path("link")
    let targets = [fifo, path]
    let spare = scratch.path("spare")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)

    await withTaskGroup { group in
      group.addTask {
        var turn = 0
        while !Task.isCancelled {
          _ = symlink(targets[turn % 2], spare)
          _ = rename(spare, link)
          turn += 1
        }
      }
      var seen: Set<FileError.Reason?> = []
      for _ in 0..<3000 { seen.insert(reason { _ = try FormBody(rawFile: FileLocation(link)) }) }
      group.cancelAll()
      #expect(seen.isSubset(of: [nil, .notARegularFile(.fifo)]))
    }
  }

  @Test("one changed file of several names itself; an empty one that grew counts")
  func amongOthers() throws {
    let empty = try scratch.write("empty", [])
    let body = try FormBody(
      FormData(parts: [
        .file(name: "f", at: location), .file(name: "f", at: FileLocation(empty)),
        .text(name: "t", value: ""),
      ]))
    try scratch.write("empty", [1])
    do throws(BodyError) {
      _ = try body.bytes()
      Issue.record("the change went unnoticed")
    } catch {
      guard case .file(let error) = error else { throw error }
      #expect(error.file == FileLocation(empty))
      // Written atomically, so another file is there.
      #expect(error.reason == .replaced || error.reason == .grown(from: 0, to: 1))
      #expect(error.isChange)
      #expect(error.description.contains(empty))
    }
  }

  @Test("a file that comes back as it was can be read again")
  func restored() throws {
    let body = try FormBody(rawFile: location)
    let reader = body.makeReader()
    #expect(rename(path, path + ".away") == 0)
    #expect(reason { _ = try reader.rest() } == .vanished)
    #expect(rename(path + ".away", path) == 0)
    reader.rewind()
    #expect(try reader.rest().count == 300_000)
  }
}
