import CChild
import Foundation
import ScalarText

/// A process of ours and the two pipes that it writes to. It leads a process group of its own, so
/// that what it starts ends with it; and it ends with the thread that started it, and so with hoist, also
/// where that is killed. What it has started itself does not, then.
struct Child {
  private let process: pid_t
  private var pipes: [Int32]
  private(set) var output = Data()
  private var errors = Data()
  private var hasEnded = false

  /// What it said on standard error, without the words that it printed: those may be a secret.
  var complaint: String {
    var text = String(decoding: errors, as: UTF8.self)
    for word in String(decoding: output.prefix(Command.mostErrors), as: UTF8.self)
      .unicodeScalars.split(whereSeparator: \.isWhiteSpace)
    { text = text.replacing(scalars: Substring(word), with: "…") }
    return text
  }

  init(starting words: [String], program: String) throws(Command.Failure) {
    var (out, err): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&out) == 0 else {
      throw .notStarted(program: program, errno: errno)
    }
    guard pipe(&err) == 0 else {
      let reason = errno
      out.forEach { _ = Foundation.close($0) }
      throw .notStarted(program: program, errno: reason)
    }
    // Another thread may start a program before this; then that one holds the pipes open, which is
    // why nobody here waits for their end.
    for end in out + err { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process = pid_t()
    let code = child_start(&arguments, out[1], err[1], &process)
    _ = Foundation.close(out[1])
    _ = Foundation.close(err[1])
    pipes = [out[0], err[0]]
    self.process = process
    guard code == 0 else {
      if process > 0 { waitpid(process, nil, 0) }
      hasEnded = true
      close()
      throw .notStarted(program: program, errno: code)
    }
  }

  /// Reads what is there, waiting for so many seconds at most for any of it.
  mutating func read(seconds: Double) {
    var polled = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard pipes.contains(where: { $0 >= 0 }) else {
      // Nothing to read any more: only its end is awaited.
      usleep(UInt32(min(seconds, 0.01) * 1e6))
      return
    }
    guard poll(&polled, nfds_t(polled.count), Int32(seconds * 1000)) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for index in polled.indices where polled[index].revents != 0 {
      let count = Foundation.read(pipes[index], &buffer, buffer.count)
      if count > 0 {
        if index == 0 {
          output.append(contentsOf: buffer[..<count])
        } else {
          errors.append(
            contentsOf: buffer[..<min(count, max(0, Command.mostErrors - errors.count))])
        }
      } else if count == 0 || errno != EINTR {
        _ = Foundation.close(pipes[index])
        pipes[index] = -1
      }
    }
  }

  /// How it ended, as wait(2) says it; nil while it runs.
  mutating func ended() -> Int32? {
    var state: Int32 = 0
    guard waitpid(process, &state, WNOHANG) == process else { return nil }
    hasEnded = true
    return state
  }

  /// Ends it and all that it has started.
  mutating func kill() {
    guard !hasEnded else { return }
    _ = Foundation.kill(-process, SIGKILL)
    waitpid(process, nil, 0)
    hasEnded = true
  }

  mutating func close() {
    for pipe in pipes where pipe >= 0 { _ = Foundation.close(pipe) }
    pipes = [-1, -1]
  }
}
