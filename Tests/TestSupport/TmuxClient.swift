import Foundation
import Synchronization

/// A client of tmux in control mode, see tmux(1), and the server that belongs to it alone. A command is a line. Its reply
/// comes between `%begin` and `%end`; any other line says that something has happened, such as output of the program
/// in the terminal.
///
/// tmux reads no more of that output than is taken from here, so that a program that writes without end is stopped by
/// its terminal, as elsewhere.
///
/// A program that marks where a frame begins and ends (DEC private mode 2026) is not looked at in between. tmux 3.3 does
/// not know the marks; they are found in the output, whose lines come in order with the replies.
final class TmuxClient: Sendable {
  /// What has been read of what comes from tmux.
  private struct Reading {
    /// What stands behind the last `%begin`, and will behind its `%end`; nil outside of replies.
    var label: ArraySlice<UInt8>?
    var lines: [String] = []
    var frames = FrameMarks()
  }

  private struct Reply {
    var text: String
    /// Whether no frame was under way at that moment.
    var isWhole: Bool
  }

  private struct State {
    /// Those who wait for a reply, in the order of their commands.
    var asking: [(since: ContinuousClock.Instant, CheckedContinuation<Reply, any Error>)] = []
    var changes = 0
    var isAttached = false
    var watching: [CheckedContinuation<Void, Never>] = []
    /// Why there are no replies any longer.
    var end: String?
  }

  private let socket: Int32
  private let folder: ScratchDirectory
  private let program: Program
  private let state = Mutex(State())
  /// Held while a command is written, so that replies come in the order of those who wait for them.
  private let writing = Mutex(())

  /// Starts a server with this command; what it begins runs in the one terminal.
  init(_ command: [String], environment: [String: String]) throws {
    folder = try ScratchDirectory()
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    defer { close(ends[1]) }
    socket = ends[0]
    // The name of a socket has to be short, and the folder's may be long. Once this client is gone, and be it that the
    // tests are killed, the server goes, too.
    program = try Program(
      "tmux",
      ["-S", "tmux", "-f", "/dev/null", "-u", "-C"] + command
        + [";", "set", "-s", "exit-unattached", "on"],
      environment: environment, directory: folder.path, conversation: ends[1])
    Thread.detachNewThread { [self] in read() }
  }

  deinit { close(socket) }

  /// How often something has happened so far.
  var changes: Int { state.withLock { $0.changes } }

  /// Waits until something has happened since there were this many changes, or for a fifth of a second: not everything
  /// that can be seen is reported.
  func change(after seen: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.changes == seen, state.end == nil else { return true }
        state.watching.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Returns once commands reach the terminal: before that, it does not exist.
  func attached() async {
    while state.withLock({ !$0.isAttached && $0.end == nil }) { await change(after: changes) }
  }

  /// Runs a command and gives what it prints, without the end of the last line.
  @discardableResult
  func run(_ words: [String]) async throws -> String { try await ask(words).text }

  /// Runs a command that looks at the screen, once no frame is under way. One that does not end within two seconds
  /// is what a program left that has ended or stopped.
  func look(_ words: [String]) async throws -> String {
    let limit = ContinuousClock.now + .seconds(10)
    while true {
      let seen = changes
      let reply = try await ask(words)
      if reply.isWhole || .now > limit { return reply.text }
      await change(after: seen)
    }
  }

  private func ask(_ words: [String]) async throws -> Reply {
    let line = words.map(Self.quoted).joined(separator: " ") + "\n"
    return try await withCheckedThrowingContinuation { continuation in
      writing.withLock { _ in
        let end = state.withLock { state in
          if state.end == nil { state.asking.append((.now, continuation)) }
          return state.end
        }
        if let end {
          continuation.resume(throwing: WaitedInVain(description: "tmux \(words): \(end)"))
        } else {
          write(line)
        }
      }
    }
  }

  /// Ends the server, and with it what runs in the terminal.
  func end() {
    writing.withLock { _ in write("kill-server\n") }
    shutdown(socket, Int32(SHUT_WR))
    let limit = ContinuousClock.now + .seconds(10)
    while !program.hasEnded, .now < limit { usleep(1000) }
    shutdown(socket, Int32(SHUT_RDWR))
  }

  /// A word as tmux's parser reads it, whatever its bytes: whatever is not harmless goes as its octal number.
  private static func quoted(_ word: String) -> String {
    let harmless = Set("-_.:/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    return "\""
      + word.utf8.map { byte in
        harmless.contains(byte)
          ? String(UnicodeScalar(byte))
          : "\\" + String(Int(byte) + 0o1000, radix: 8).dropFirst()
      }.joined() + "\""
  }

  private func write(_ line: String) {
    var rest = Array(line.utf8)[...]
    while !rest.isEmpty {
      // Without SIGPIPE where tmux has gone. That is noticed where its replies are read.
      let count = rest.withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads until the client ends, on a thread of its own.
  private func read() {
    var reading = Reading()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let news = Foundation.poll(&poll, 1, 200)
      if news < 0, errno != EINTR { break }
      guard news > 0 else {
        if state.withLock({ $0.asking.first.map { $0.since < .now - .seconds(60) } ?? false }) {
          return finish("no reply within 60 seconds")
        }
        wake { _ in }
        continue
      }
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
      var start = 0
      while let end = bytes.firstPlace(of: 0x0A, from: start) {
        take(bytes[start..<end], &reading)
        start = end + 1
      }
      bytes.removeFirst(start)
    }
    finish("its server has ended. \(program.errors) (is it missing? run make setup)")
  }

  private func take(_ line: ArraySlice<UInt8>, _ reading: inout Reading) {
    guard let label = reading.label else {
      reading.label = line.behind("%begin ")
      if let output = line.behind("%output ") { reading.frames.take(output) }
      guard reading.label == nil else { return }
      return wake { state in
        state.changes += 1
        if line.behind("%session-changed ") != nil { state.isAttached = true }
      }
    }
    let isError = line.behind("%error ") == label
    guard isError || line.behind("%end ") == label else {
      reading.lines.append(String(decoding: line, as: UTF8.self))
      return
    }
    let reply = Reply(
      text: reading.lines.joined(separator: "\n"), isWhole: !reading.frames.isInside)
    (reading.label, reading.lines) = (nil, [])
    // The last number is 1 where a line of ours is answered, and not the command that has started all.
    guard label.last == UInt8(ascii: "1") else { return }
    let asking = state.withLock { $0.asking.isEmpty ? nil : $0.asking.removeFirst().1 }
    if isError {
      asking?.resume(throwing: WaitedInVain(description: "tmux: \(reply.text)"))
    } else {
      asking?.resume(returning: reply)
    }
  }

  /// Changes the state, and wakes all who wait for a change.
  private func wake(_ change: (inout State) -> Void) {
    let watching = state.withLock { state in
      change(&state)
      defer { state.watching = [] }
      return state.watching
    }
    for continuation in watching { continuation.resume() }
  }

  private func finish(_ why: String) {
    let asking = state.withLock { state in
      state.end = why
      defer { state.asking = [] }
      return state.asking
    }
    for (_, continuation) in asking {
      continuation.resume(throwing: WaitedInVain(description: "tmux: \(why)"))
    }
    wake { $0.changes += 1 }
  }
}

/// Follows the marks of frames in output, which comes in pieces, as tmux writes it: ESC is `\033`.
private struct FrameMarks {
  private(set) var isInside = false
  /// The end of what came before, for a mark may be divided.
  private var rest: [UInt8] = []
  private static let mark = Array(#"\033[?2026"#.utf8)

  mutating func take(_ output: ArraySlice<UInt8>) {
    // Behind the name of the pane.
    rest += output.drop { $0 != UInt8(ascii: " ") }.dropFirst()
    var start = 0
    while let place = rest.firstPlace(of: Self.mark[0], from: start) {
      start = place + 1
      guard let letter = rest[place...].behind(Self.mark)?.first else { continue }
      isInside = letter == UInt8(ascii: "h")
    }
    rest.removeFirst(max(0, rest.count - Self.mark.count))
  }
}

extension [UInt8] {
  /// Where this byte is next. By memchr(3), for a program may write very much.
  fileprivate func firstPlace(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < bytes.count,
        let place = memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return base.distance(to: UnsafeRawPointer(place))
    }
  }
}

extension ArraySlice<UInt8> {
  /// What follows these bytes, where it begins with them.
  fileprivate func behind(_ bytes: [UInt8]) -> Self? {
    starts(with: bytes) ? dropFirst(bytes.count) : nil
  }

  fileprivate func behind(_ words: String) -> Self? { behind(Array(words.utf8)) }
}
