import Foundation

/// A terminal that nobody reads unless the test does: what is written to it stays in the kernel until that has
/// no more room.
public final class PseudoTerminal: Sendable {
  /// The side that a terminal program would have.
  private let master: Int32
  /// The side for the program under test.
  private let slave: Int32

  /// Opens one.
  public init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: Int32 = -1
    var isLocked: Int32 = 0
    // TIOCSPTLCK and TIOCGPTN, see ioctl_tty(2).
    guard master >= 0, ioctl(master, 0x4004_5431, &isLocked) == 0,
      ioctl(master, 0x8004_5430, &number) == 0
    else {
      throw WaitedInVain(description: "no pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else {
      throw WaitedInVain(description: "no terminal: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(slave)
    close(master)
  }

  /// The program's side, to be its standard output or standard error.
  public var file: FileHandle { FileHandle(fileDescriptor: slave, closeOnDealloc: false) }

  /// Presses `^s`: the terminal shows no more, and takes no more.
  public func stop() { type(0x13) }

  /// Presses a key.
  public func type(_ key: UInt8) {
    var key = key
    _ = write(master, &key, 1)
  }

  /// Gives it a size.
  public func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Takes what has been written to it, with the carriage returns that it adds to line feeds.
  public func take() -> String {
    // It arrives a moment after it was written: a mark behind it says when all is there.
    var mark: UInt8 = 0x1F
    _ = write(slave, &mark, 1)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.last != mark, case let count = read(master, &buffer, buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// How many keys the program has not read yet, if it reads them one by one.
  public var untaken: Int {
    var count: Int32 = 0
    return ioctl(slave, UInt(0x541B), &count) == 0 ? Int(count) : 0
  }

  /// How many bytes wait to be read.
  public var unread: Int {
    var count: Int32 = 0
    // FIONREAD
    return ioctl(master, UInt(0x541B), &count) == 0 ? Int(count) : 0
  }
}
