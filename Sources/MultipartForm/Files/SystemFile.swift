import Glibc

/// An open regular file: `open`, `fstat` and `pread`, with errors that name the file.
///
/// Nothing here blocks. Anything but a regular file, such as a FIFO without a writer, a terminal or a tape drive, is
/// refused before it is opened. The open file is checked again, in case such a thing has taken its place in between.
struct SystemFile: ~Copyable {
  let location: FileLocation
  private let descriptor: Int32

  /// - Parameter isKnown: whether its path is known to lead to a regular file.
  init(opening location: FileLocation, isKnown: Bool = false) throws(FileError) {
    if !isKnown { _ = try Self.look(at: location) }
    var descriptor: Int32
    repeat {
      descriptor = location.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw Self.failure(of: .open, at: location) }
    self.location = location
    self.descriptor = descriptor
  }

  deinit { _ = close(descriptor) }

  /// A regular file's state at one moment.
  struct Look {
    let identity: FileIdentity
    /// The time of the last change to the file's content or metadata (`st_ctime`), in nanoseconds since 1970.
    let changed: Int64
    /// Whether the file belongs to this user, and its owner may read it.
    let isOurs: Bool
  }

  /// Looks at the open file, whatever its path leads to by now.
  func look() throws(FileError) -> Look {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(of: .inspect, at: location) }
    return try Self.look(status, at: location)
  }

  /// Whether any process, including this one, has the file open for writing. Nil if that is unknown, because the file
  /// belongs to another user or its file system has no leases.
  ///
  /// The system grants a read lease only if nobody has the file open for writing (fcntl(2)). The lease is released at
  /// once, so that nobody has to wait for it.
  func isOpenForWriting() -> Bool? {
    let isLeased = lease()
    if isLeased == true { _ = fcntl(descriptor, Self.setLease, F_UNLCK) }
    return isLeased.map { !$0 }
  }

  /// Makes programs that open the file for writing wait until this file is closed, or for as long as the system lets
  /// them wait (45 s). Returns false if a program has it open for writing already, and nil if the file cannot have
  /// leases.
  func lease() -> Bool? {
    // If somebody opens the file while the lease is held, the system sends a signal. The default one would end the
    // process; SIGURG is ignored.
    _ = fcntl(descriptor, Self.setLeaseSignal, SIGURG)
    if fcntl(descriptor, Self.setLease, F_RDLCK) == 0 { return true }
    return errno == EAGAIN ? false : nil
  }

  /// Whether the lease is still held, and no program waits for it.
  var hasLease: Bool { fcntl(descriptor, Self.getLease) == F_RDLCK }

  /// Whether the file's timestamps change with the first write through any new mapping. Local file systems guarantee
  /// that; file systems that are in memory, on the network, stacked, or in user space (FUSE) do not.
  var showsWrites: Bool {
    var status = InlineArray<64, Int>(repeating: 0)
    return fileSystem(of: descriptor, into: &status) == 0
      && Self.localFileSystems.contains(UInt32(truncatingIfNeeded: status[0]))
  }

  /// Watches for writes to the file from now on. Nil if they might go unnoticed, or if somebody has it open for
  /// writing.
  func watch() -> WriteWatch? {
    guard showsWrites, let watch = WriteWatch(descriptor), isOpenForWriting() == false else {
      return nil
    }
    // A program that has just closed the file did so before the first byte was read, so the report about that does not
    // count.
    watch.forget()
    return watch
  }

  /// Watches for writes by programs on this machine. Unlike ``watch()``, it proves nothing by itself.
  func localWatch() -> WriteWatch? { WriteWatch(descriptor) }

  /// Whether somebody may write to the file from now on without a trace in its timestamps.
  var mayBeWrittenTo: Bool { !showsWrites || isOpenForWriting() != false }

  /// ext2 to ext4, XFS, Btrfs and F2FS (statfs(2)).
  private static let localFileSystems: Set<UInt32> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010,
  ]
  /// F_SETLEASE, F_GETLEASE and F_SETSIG of <fcntl.h>, which Swift does not import.
  private static let setLease: Int32 = 1024
  private static let getLease: Int32 = 1025
  private static let setLeaseSignal: Int32 = 10

  /// The time in nanoseconds since 1970, by the clock that sets files' timestamps.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  /// Overflows after the year 2262, which does no harm: the results are only compared.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  private static func exactNanoseconds(_ time: timespec) -> Int128 {
    Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec)
  }

  /// Looks at the file at the path; symbolic links are followed.
  static func look(at location: FileLocation) throws(FileError) -> Look {
    guard location.isUsable else {
      throw FileError(location, .unreadable(errno: EINVAL, during: .inspect))
    }
    var status = stat()
    guard location.withCString({ stat($0, &status) }) == 0 else {
      throw failure(of: .inspect, at: location)
    }
    return try look(status, at: location)
  }

  /// Checks that an open file whose size is 0 really has no content.
  func checkEmpty() throws(FileError) {
    var byte: UInt8 = 0
    let count = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(FileError) in
      try read(into: buffer, at: 0)
    }
    if count > 0 { throw FileError(location, .sizeUnknown) }
  }

  /// Checks that a file is readable, as far as its permissions show. `look` is a recent look at it. Does not open it.
  static func checkReadable(_ location: FileLocation, _ look: Look) throws(FileError) {
    guard look.isOurs || location.withCString({ access($0, R_OK) }) == 0 else {
      throw failure(of: .open, at: location)
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var filled = 0
    while filled < buffer.count {
      let count = pread(
        descriptor, base + filled, buffer.count - filled, off_t(offset) + off_t(filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw Self.failure(of: .read, at: location)
      }
    }
    return filled
  }

  /// The user whose files are ours. Cached, because it does not change and each file is looked at several times.
  private static let user = geteuid()

  private static func look(_ status: stat, at location: FileLocation) throws(FileError) -> Look {
    let kind: FileError.Kind
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let identity = FileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
        size: Int64(status.st_size), modified: exactNanoseconds(status.st_mtim))
      return Look(
        identity: identity, changed: nanoseconds(status.st_ctim),
        isOurs: status.st_uid == user && status.st_mode & S_IRUSR != 0)
    case S_IFDIR: kind = .directory
    case S_IFIFO: kind = .fifo
    case S_IFCHR, S_IFBLK: kind = .device
    case S_IFSOCK: kind = .socket
    default: kind = .other
    }
    throw FileError(location, .notARegularFile(kind))
  }

  private static func failure(of step: FileError.Step, at location: FileLocation) -> FileError {
    let code = errno
    let isGone = code == ENOENT || code == ENOTDIR
    return FileError(location, isGone ? .vanished : .unreadable(errno: code, during: step))
  }
}

/// fstatfs(2), which Swift does not import because its header is in no module. The structure takes 120 bytes and starts
/// with the type of the file system.
@_silgen_name("fstatfs")
private func fileSystem(of descriptor: Int32, into status: UnsafeMutableRawPointer) -> Int32
