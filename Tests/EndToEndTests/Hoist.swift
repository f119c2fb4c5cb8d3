import Foundation
import TestSupport
import Testing

/// A person with the built program, a home folder, and a folder with files to work in.
struct Person {
  /// Where the person's files lie; the working directory of everything that they start.
  let folder: ScratchDirectory
  let home: ScratchDirectory

  init() throws {
    folder = try ScratchDirectory()
    home = try ScratchDirectory()
  }

  /// What the person's programs find in their environment: nothing of the machine's own but the
  /// way to its programs.
  var environment: [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return [
      "PATH": "\(Self.binaries):\(path)", "HOME": home.path, "LANG": "C.UTF-8",
      "TMPDIR": folder.path,
    ]
  }

  /// Starts `hoist` with these arguments.
  func hoist(_ arguments: String...) throws -> Program { try hoist(arguments) }

  /// Starts `hoist` with these arguments.
  func hoist(_ arguments: [String]) throws -> Program {
    try Program(
      "\(Self.binaries)/hoist", arguments, environment: environment, directory: folder.path)
  }

  /// Begins a command of a shell that permissions stop. The machine's administrator may read everything, with
  /// these capabilities (capabilities(7)); another user might not even reach the program.
  static let bound =
    geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""

  /// Starts a line of shell.
  func shell(_ line: String) throws -> Program {
    try Program("sh", ["-c", line], environment: environment, directory: folder.path)
  }

  /// Opens a terminal with a shell in it.
  func terminal(columns: Int = 120, rows: Int = 40) async throws -> Tmux {
    try await Tmux(
      columns: columns, rows: rows, environment: environment, directory: folder.path)
  }

  /// Starts `hoist receive` on a free port, with `inbox` for what arrives.
  func receiver(_ options: String...) async throws -> Inbox {
    let program = try hoist(["receive", "--port", "0", "--dir", "inbox"] + options)
    let url = try await wait(
      for: "the receiver", otherwise: { program.errors }
    ) {
      program.output.firstMatch(of: /receiving on (http:\S+) into/).map { String($0.1) }
    }
    return Inbox(program: program, url: url, path: folder.path("inbox"))
  }

  /// Writes the person's configuration.
  func configure(_ text: String) throws {
    let folder = "\(home.path)/.config/hoist"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
  }

  /// The folder that the tests themselves are built into, and hoist with them.
  static let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// The top folder of the sources.
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
}

/// A running `hoist receive`.
struct Inbox {
  let program: Program
  /// Where it takes uploads.
  let url: String
  /// The folder of what arrived.
  let path: String

  /// The bytes of a file that arrived.
  func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(path)/\(name)") }

  /// Whether a megabyte has arrived of a resumable upload that is not whole.
  var hasMegabyteOfUpload: Bool {
    names.contains { $0.hasSuffix(".data") && (bytes($0)?.count ?? 0) >= 1_000_000 }
  }

  /// The names of all that lies there, half-received files among it.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Waits until nothing lies there: what was half received goes some moments after its client.
  func isEmpty() async throws {
    try await wait(for: "an empty inbox", otherwise: { "\(names)" }) {
      names.isEmpty ? true : nil
    }
  }
}

/// Everything that starts programs. Each story has a folder, a home and ports of its own, and mostly waits: the
/// Makefile says how many are told at once.
@Suite("From end to end", .needs("tmux", "openssl", "nginx", "curl"))
struct EndToEnd {}

/// The bytes of a file of the person's.
func bytes(_ path: String) throws -> Data {
  try #require(FileManager.default.contents(atPath: path), "\(path) cannot be read")
}
