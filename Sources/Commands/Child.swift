import CChild
import Foundation
import ScalarText

/// A child process and the two pipes that it writes to.
///
/// The child leads its own process group, so killing it also kills everything it has started. The system kills the
/// child when the thread that started it ends, and so also when hoist itself is killed; in that case, the child's own
/// children survive.
struct Child {
  private let process: pid_t
  private var pipes: [Int32]
  private(set) var output = Data()
  private var errors = Data()
  private var hasEnded = false

  /// What the child wrote to standard error, without the words that it also wrote to standard output, which may be
  /// secrets.
  var complaint: String {
    var text = String(decoding: errors, as: UTF8.self)
    for word in String(decoding: output.prefix(Command.mostErrors), as: UTF8.self)
      .unicodeScalars.split(whereSeparator: \.isWhiteSpace)
    { text = text.replacing(scalars: Substring(word), with: "…") }
    return text
  }

  init(starting words: [String], program: String) throws(Command.Failure) {
    var (out, err): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&out) == 0 else { throw .notStarted(program: program, errno: errno) }
    guard pipe(&err) == 0 else {
      let reason = errno
      out.forEach { _ = close($0) }
      throw .notStarted(program: program, errno: reason)
    }
    // A program that another thread starts before the flags are set inherits these pipes, so end of file may
    // never come. Nothing here waits for it.
    for end in out + err { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process = pid_t()
    let code = child_start(&arguments, out[1], err[1], &process)
    close(out[1])
    close(err[1])
    pipes = [out[0], err[0]]
    self.process = process
    guard code == 0 else {
      if process > 0 { waitpid(process, nil, 0) }
      hasEnded = true
      stop()
      throw .notStarted(program: program, errno: code)
    }
  }

  /// Reads the available output, waiting at most `seconds` for the first bytes.
  mutating func read(seconds: Double) {
    var polled = pipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard pipes.contains(where: { $0 >= 0 }) else {
      // Both pipes are closed; only the exit remains to be awaited.
      usleep(UInt32(min(seconds, 0.01) * 1e6))
      return
    }
    guard poll(&polled, nfds_t(polled.count), Int32(seconds * 1000)) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for index in polled.indices where polled[index].revents != 0 {
      let count = Foundation.read(pipes[index], &buffer, buffer.count)
      if count > 0, index == 0 {
        output.append(contentsOf: buffer[..<count])
      } else if count > 0 {
        let room = max(0, Command.mostErrors - errors.count)
        errors.append(contentsOf: buffer[..<min(count, room)])
      } else if count == 0 || errno != EINTR {
        close(pipes[index])
        pipes[index] = -1
      }
    }
  }

  /// The exit state as wait(2) encodes it; nil while the child runs.
  mutating func ended() -> Int32? {
    var state: Int32 = 0
    guard waitpid(process, &state, WNOHANG) == process else { return nil }
    hasEnded = true
    return state
  }

  /// Kills the child and everything in its process group, unless it has ended, and closes the pipes.
  mutating func stop() {
    if !hasEnded {
      kill(-process, SIGKILL)
      waitpid(process, nil, 0)
      hasEnded = true
    }
    for pipe in pipes where pipe >= 0 { close(pipe) }
    pipes = [-1, -1]
  }
}
