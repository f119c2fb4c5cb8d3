import Foundation
import Synchronization

/// The steps between fork and exec that the headers hide from Swift.
private enum SpawnStep {
  typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

  /// The folder of the new program.
  static func changeFolder(_ actions: Actions, _ folder: String) throws {
    typealias Call = @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
    try check(unsafeBitCast(step("addchdir"), to: Call.self)(actions, folder))
  }

  /// Nothing of ours stays open in it: the kernel runs no script that somebody may still write to.
  static func closeAll(_ actions: Actions, from first: Int32) throws {
    typealias Call = @convention(c) (Actions, Int32) -> Int32
    try check(unsafeBitCast(step("addclosefrom"), to: Call.self)(actions, first))
  }

  private static func step(_ name: String) throws -> UnsafeMutableRawPointer {
    guard let address = dlsym(nil, "posix_spawn_file_actions_\(name)_np") else {
      throw POSIXError(.ENOSYS)
    }
    return address
  }

  private static func check(_ code: Int32) throws {
    guard code == 0 else { throw POSIXError(.init(rawValue: code) ?? .EIO) }
  }
}

/// Another program that a test runs. Its output goes to files, so that it can be read at any time and
/// no full pipe ever stops it. It is killed when the test lets go of it, and so is what it has started and left
/// in its process group.
///
/// Foundation's `Process` takes a program for ended only when all its children are, too; a daemon such
/// as tmux has some that stay. Hence `posix_spawn`.
public final class Program: Sendable {
  /// How a program ended.
  public struct Outcome: Sendable {
    /// The exit status; where a signal ended it, 128 and the signal's number, as shells say it.
    public var status: Int32
    /// Everything on standard output.
    public var output: String
    /// Everything on standard error.
    public var errors: String

    /// The end of something that was run in another way.
    public init(status: Int32, output: String, errors: String) {
      (self.status, self.output, self.errors) = (status, output, errors)
    }
  }

  /// Its process number.
  public let identifier: pid_t
  private let name: String
  private let files: ScratchDirectory
  /// The status once it is known. The process number is its own, and its group's, until the test lets go of it.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program with nothing on its standard input.
  ///
  /// - Parameters:
  ///   - executable: its path, or a name to be looked up in the environment's `PATH`.
  ///   - environment: its whole environment.
  ///   - directory: its working directory.
  ///   - conversation: a socket that is its standard input and output.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String],
    directory: String, conversation: Int32? = nil
  ) throws {
    files = try ScratchDirectory()
    name = ([executable] + arguments).joined(separator: " ")

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    if let conversation {
      for file in [0, 1] as [Int32] {
        posix_spawn_file_actions_adddup2(&actions, conversation, file)
      }
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, files.path("output"), flags, 0o600)
    }
    posix_spawn_file_actions_addopen(&actions, 2, files.path("errors"), flags, 0o600)

    // As a shell starts it: no signal blocked or ignored, whatever the test's process does with them.
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

    // Not the folder that this process is in: that one is lent to commands that run within it, and may be gone.
    try SpawnStep.changeFolder(&actions, directory)
    try SpawnStep.closeAll(&actions, from: 3)
    let path = Self.path(of: executable, in: environment["PATH"] ?? "")
    let words = ([executable] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var identifier: pid_t = 0
    let status = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
    guard status == 0 else { throw POSIXError(.init(rawValue: status) ?? .EIO) }
    self.identifier = identifier
  }

  /// Where a program lies that is named as a shell takes names.
  private static func path(of executable: String, in folders: String) -> String {
    guard !executable.utf8.contains(UInt8(ascii: "/")) else { return executable }
    return folders.split(separator: ":").lazy.map { "\($0)/\(executable)" }
      .first { access($0, X_OK) == 0 } ?? executable
  }

  deinit {
    kill(-identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  /// What it has written to standard output so far.
  public var output: String { text("output") }
  /// What it has written to standard error so far.
  public var errors: String { text("errors") }
  /// Whether it has ended.
  public var hasEnded: Bool { ending() != nil }

  /// Sends it a signal.
  public func signal(_ number: Int32) {
    status.withLock { if $0 == nil { kill(identifier, number) } }
  }

  /// Sends it a signal that it handles itself, as soon as it does: Dispatch sets the handler some time after the program
  /// has asked for it, and until then the signal ends the program by itself.
  public func interrupt(_ number: Int32) async throws {
    try await wait(
      for: "\(name) to handle signal \(number)",
      otherwise: { "output: \(output)\nerrors: \(errors)" }
    ) { hasEnded || Self.handles(number, in: identifier) ? true : nil }
    signal(number)
  }

  /// Whether a process catches a signal (proc(5)). One that it ignores may still be what the shell left to it: a job in
  /// the background begins with SIGINT ignored.
  public static func handles(_ number: Int32, in process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let caught = status?.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/)?.1
    return (caught.flatMap { UInt64($0, radix: 16) } ?? 0) & 1 << UInt64(number - 1) != 0
  }

  /// Waits for its own end.
  public func end(seconds: Double = 60) async throws -> Outcome {
    let status = try await wait(
      for: "the end of \(name)", seconds: seconds,
      otherwise: { "output: \(output)\nerrors: \(errors)" }
    ) { ending() }
    return Outcome(status: status, output: output, errors: errors)
  }

  /// The processor time that it has used so far, in seconds; nil where it has ended.
  public var processorTime: Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    // The fields after the name, which may hold spaces: utime and stime are the 12th and 13th.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return nil
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The most memory that it has had in use so far, in bytes; nil when it has ended.
  public var peakMemory: Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
        .flatMap({ Int($0) })
    else { return nil }
    return kibibytes * 1024
  }

  /// The exit status, if it has ended.
  private func ending() -> Int32? {
    status.withLock { known in
      if known != nil { return known }
      // It is left to be waited for, or another process could get its number.
      var end = siginfo_t()
      guard waitid(P_PID, id_t(identifier), &end, WEXITED | WNOHANG | WNOWAIT) == 0,
        end._sifields._sigchld.si_pid == identifier
      else { return nil }
      let code = end._sifields._sigchld.si_status
      known = end.si_code == CLD_EXITED ? code : 128 + code
      return known
    }
  }

  private func text(_ name: String) -> String {
    let data = FileManager.default.contents(atPath: files.path(name)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
