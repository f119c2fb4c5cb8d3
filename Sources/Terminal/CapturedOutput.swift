import CNcurses
import Foundation

/// The stream that ncurses writes to, which leads to the terminal, or into memory for as long as a frame is drawn: then a
/// frame and what lies over it are one write. ncurses alone would make several.
///
/// ncurses writes to the stream's descriptor and not by the stream, and wants it to be a terminal when it starts.
struct CapturedOutput {
  let stream: UnsafeMutablePointer<FILE>
  private let terminal: Int32
  private let memory: Int32

  /// A stream to this terminal; nil if there are no more descriptors.
  init?(_ terminal: Int32) {
    self.terminal = terminal
    memory = curses_memory()
    let copy = fcntl(terminal, F_DUPFD_CLOEXEC, 0)
    guard memory >= 0, copy >= 0, let stream = fdopen(copy, "w") else { return nil }
    self.stream = stream
  }

  /// The most bytes of a frame.
  private static let most: rlim_t = 16 << 20

  /// The bytes that ncurses writes meanwhile; none if it has written them to the terminal, because a limit on the size of
  /// files, which holds for this memory too, leaves too little room.
  func capture(_ draw: () -> Void) -> [UInt8] {
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0,
      limit.rlim_cur < Self.most
    {
      draw()
      return []
    }
    let descriptor = fileno(stream)
    curses_redirect(descriptor, memory)
    draw()
    curses_redirect(descriptor, terminal)
    // Copies of a descriptor share its place in the file.
    let count = Int(lseek(memory, 0, SEEK_CUR))
    lseek(memory, 0, SEEK_SET)
    return [UInt8](unsafeUninitializedCapacity: max(0, count)) { bytes, filled in
      filled = max(0, pread(memory, bytes.baseAddress, max(0, count), 0))
    }
  }
}
