import Commands
import Foundation
import ScalarText
import UploadModel

/// Starts the process that continues sending a queue after the user leaves its screen.
enum BackgroundSender {
  /// How long the process may take to begin, in seconds.
  private static let patience = 30.0

  /// Why the process did not begin.
  struct Failure: Error { var reason: String }

  /// Starts the process, and returns its number once it has taken over the queue. The descriptor `lock` holds the
  /// queue's lock.
  static func start(_ handover: Handover, lock: Int32) throws(Failure) -> pid_t {
    var (input, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&input) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    defer { input.forEach { if $0 >= 0 { close($0) } } }
    guard pipe(&errors) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    defer { errors.forEach { if $0 >= 0 { close($0) } } }
    let process: pid_t
    let content: Data
    do {
      content = try JSONEncoder().encode(handover)
      process = try DetachedProgram.start(
        [program, "send", "--take-over"], files: [input[0], -1, errors[1], lock])
    } catch {
      throw Failure(reason: "\(error)")
    }
    // Close this process's copies of the child's ends, so that it is noticed when the child closes them.
    close(input[0])
    close(errors[1])
    (input[0], errors[1]) = (-1, -1)
    // Ignore a failure: if the child does not read this, it says why on the other pipe.
    try? FileHandle(fileDescriptor: input[1]).write(contentsOf: content)
    close(input[1])
    input[1] = -1
    let words = read(errors[0])
    guard words.hasSuffix(scalars: Handover.word) else {
      kill(process, SIGTERM)
      let reason = SafeText.line(words)
      throw Failure(reason: reason.isEmpty ? "it exited before it could start" : reason)
    }
    return process
  }

  /// This program, even if its file has been replaced by a newer one meanwhile.
  private static var program: String {
    let link = "/proc/self/exe"
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
      access(path, X_OK) == 0
    else { return link }
    return path
  }

  /// Reads until the other end is closed, or until nothing has arrived for too long.
  private static func read(_ descriptor: Int32) -> String {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&polled, 1, Int32(patience * 1000))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { break }
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      data += buffer.prefix(count)
    }
    return String(decoding: data, as: UTF8.self)
  }
}
