import Foundation

/// What is left when the tests are stopped, and be it by SIGKILL: a shell beside them notices their end, ends what they
/// have started, and removes the folders that they worked in.
///
/// After an end in order it does nothing, for by then each test has ended what it started. Where one has not,
/// `Tools/tests/leftovers.sh` is to say so.
enum Leftovers {
  /// Begins the names of this process's folders. A process is known by one of them in its arguments, its environment or
  /// its own folder.
  static let mark: String = {
    let mark = "hoist-test-\(getpid())-"
    watch(for: mark)
    return mark
  }()

  /// The shell's standard input ends with this process.
  private static let line: (shell: Int32, tests: Int32) = {
    var ends: [Int32] = [-1, -1]
    // Nobody else may inherit it, not even one that is started at this moment.
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    return (ends[0], ends[1])
  }()

  private static let script = """
    read -r mark
    ! read -r end || exit 0
    tries=0
    until echo "$mark" | "$1" - 0 || [ $tries -eq 20 ]; do tries=$((tries + 1)); done
    rm -rf "$2$mark"*
    """

  private static func watch(for mark: String) {
    let (shell, tests) = line
    let check = "\(Repository.root)/Tools/tests/leftovers.sh"
    let started = try? Tool.spawn(
      "sh", ["-c", script, "sh", check, NSTemporaryDirectory()], input: shell)
    close(shell)
    guard started != nil else { return }
    tell(mark + "\n", tests)
    atexit { Leftovers.tell("end\n", Leftovers.line.tests) }
  }

  private static func tell(_ text: String, _ file: Int32) {
    _ = text.withCString { send(file, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
  }
}
