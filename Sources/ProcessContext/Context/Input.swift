import Foundation
import Synchronization

/// What a command reads: standard input.
package final class Input: Sendable {
  /// For callers that read bytes.
  package let descriptor: Int32
  /// Opened when the first line is read. It reads ahead, so nothing else can read the descriptor after that.
  private let lines = Mutex<UnsafeMutablePointer<FILE>?>(nil)

  static let standard = Input(STDIN_FILENO)

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { lines.withLock { if let file = $0 { fclose(file) } } }

  /// Whether the input is a terminal, so that a person may be typing.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The next line without its line break; nil after the last line.
  package func line() -> String? {
    lines.withLock { file in
      if file == nil { file = fdopen(dup(descriptor), "r") }
      guard let file else { return nil }
      var text: UnsafeMutablePointer<CChar>?
      var room = 0
      defer { free(text) }
      var count = getline(&text, &room, file)
      // A read that a signal interrupts does not mean the end of the input.
      while count < 0, errno == EINTR, feof(file) == 0 {
        clearerr(file)
        count = getline(&text, &room, file)
      }
      guard count > 0, let text else { return nil }
      let bytes = UnsafeRawBufferPointer(start: text, count: count)
      let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
      return String(decoding: line, as: UTF8.self)
    }
  }
}
