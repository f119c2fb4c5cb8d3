import Foundation

/// A program that a test needs and that is not ours.
public enum Tool {
  /// Why a program did not do what a test wanted of it.
  public struct Failed: Error, CustomStringConvertible {
    /// What it was asked and what it said.
    public let description: String
  }

  /// Runs a program found on the PATH to its end and gives what it printed.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String]) throws -> String {
    let (status, text, words) = try finish(try path(of: name), arguments)
    guard status == 0 else {
      throw Failed(description: "\(name) \(arguments): \(status)\n\(words)")
    }
    return text
  }

  /// Runs our own program, as it was built for the tests, with these variables and no others.
  public static func hoist(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    return try finish(products.appending(path: "hoist").path, arguments, environment)
  }

  private static func finish(
    _ path: String, _ arguments: [String], _ environment: [String: String]? = nil
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    // A command that runs within the tests may have lent this process a folder that is gone by now.
    process.currentDirectoryURL = URL(filePath: Repository.root)
    if let environment { process.environment = environment }
    process.standardInput = FileHandle.nullDevice
    // Not pipes: another test's program, started at the same moment, may inherit one, and then it does
    // not end before that program does.
    let folder = try ScratchDirectory()
    let output = try File(folder.path("output"))
    let errors = try File(folder.path("errors"))
    process.standardOutput = output.handle
    process.standardError = errors.handle
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try output.text(), try errors.text())
  }

  /// What a program writes to.
  private struct File {
    let path: String
    let handle: FileHandle

    init(_ path: String) throws {
      self.path = path
      try Data().write(to: URL(filePath: path))
      handle = try FileHandle(forWritingTo: URL(filePath: path))
    }

    func text() throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
  }

  /// Starts a program found on the PATH, silent, and gives its process. `Process` would not do: it can
  /// only be waited for on the thread that started it.
  ///
  /// - Parameter input: what it reads; it then gets no ^c from the terminal, being in a group of its own.
  public static func spawn(
    _ name: String, _ arguments: [String], input: Int32? = nil
  ) throws -> pid_t {
    let path = try path(of: name)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
    }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    // Neither another test's pipes and sockets nor the blocked signals of a thread pool go along.
    for file in (STDERR_FILENO + 1)..<1024 { posix_spawn_file_actions_addclose(&actions, file) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    let group = input == nil ? 0 : POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | group))
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process = pid_t()
    guard posix_spawn(&process, path, &actions, &attributes, &words, environ) == 0 else {
      throw Failed(description: "\(path) does not start")
    }
    return process
  }

  /// Where a program lies. A test without it fails, for it can not say anything.
  public static func path(of name: String) throws -> String {
    let usual = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    let folders = (ProcessInfo.processInfo.environment["PATH"].map { "\($0):" } ?? "") + usual
    for folder in folders.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
      return "\(folder)/\(name)"
    }
    throw Failed(description: "\(name) is not installed; run `make setup`")
  }
}
