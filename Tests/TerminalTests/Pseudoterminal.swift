import CNcurses
import Foundation
import TestSupport

/// The driver in a terminal that says what the test says, and no more.
final class Pseudoterminal {
  private let folder: ScratchDirectory
  private var terminal: Int32
  private let line: Int32
  let driver: Program
  private(set) var output = ""

  init(
    _ arguments: [String] = ["still"], _ environment: [String: String] = [:], columns: Int = 80,
    rows: Int = 24
  ) throws {
    folder = try ScratchDirectory()
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN, see ioctl_tty(2).
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard ioctl(terminal, 0x4004_5431, &lock) == 0, ioctl(terminal, 0x8004_5430, &number) == 0
    else { throw POSIXError(.EIO) }
    line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    Self.resize(line, columns: columns, rows: rows)
    driver = try Program(
      DriverTerminal.program, arguments,
      environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        .merging(environment) { $1 },
      directory: folder.path, conversation: line)
  }

  deinit {
    hangUp()
    close(line)
  }

  /// Goes away, as a window that is closed.
  func hangUp() {
    if terminal >= 0 { close(terminal) }
    terminal = -1
  }

  func say(_ text: String) { write(terminal, text, text.utf8.count) }

  /// Gives it another size. It is not the driver's controlling terminal, which would send the signal.
  func resize(columns: Int, rows: Int) {
    Self.resize(line, columns: columns, rows: rows)
    driver.signal(SIGWINCH)
  }

  private static func resize(_ line: Int32, columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(line, UInt(TIOCSWINSZ), &size)
  }

  /// What has been written since the last call.
  func take() -> [UInt8] {
    var (all, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = read(terminal, &bytes, bytes.count), count > 0 {
      all += bytes.prefix(count)
    }
    return all
  }

  /// How often this has been written so far.
  func count(of text: String) -> Int {
    output += String(decoding: take(), as: UTF8.self)
    return output.components(separatedBy: text).count - 1
  }

  func wait(for text: String, _ count: Int = 1) async throws {
    try await TestSupport.wait(for: text.debugDescription) {
      self.count(of: text) >= count ? true : nil
    }
  }

  /// How many bytes the driver has not read yet.
  var unread: Int32 { curses_waiting(line) }

  /// Waits for the driver's end, and returns how many bytes the shell would read.
  func left() async throws -> Int32 {
    try await TestSupport.wait(for: "the end") {
      _ = count(of: " ")
      return driver.hasEnded ? true : nil
    }
    return unread
  }
}
