import Foundation
import ScalarText
import Synchronization

/// Whether something has happened, asked and told on different threads.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

/// A process of ours and the two pipes that it writes to. It leads a process group of its own, so
/// that what it starts ends with it.
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
      throw .notStarted(program: program, String(cString: strerror(errno)))
    }
    guard pipe(&err) == 0 else {
      let reason = errno
      out.forEach { _ = Foundation.close($0) }
      throw .notStarted(program: program, String(cString: strerror(reason)))
    }
    // Another thread may start a program before this; then that one holds the pipes open, which is
    // why nobody here waits for their end.
    for end in out + err { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO)
    // Sockets of uploads would stay open for as long as it runs.
    for file in (STDERR_FILENO + 1)..<Int32(min(max(sysconf(Int32(_SC_OPEN_MAX)), 256), 4096)) {
      posix_spawn_file_actions_addclose(&actions, file)
    }
    // As a shell would start it: no signal blocked or ignored, whatever hoist does with them.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawnp(&process, program, &actions, &attributes, &arguments, environ)
    _ = Foundation.close(out[1])
    _ = Foundation.close(err[1])
    pipes = [out[0], err[0]]
    self.process = process
    guard code == 0 else {
      hasEnded = true
      close()
      throw .notStarted(program: program, String(cString: strerror(code)))
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
