import Foundation

/// Runs programs that we did not write, to compare ours with.
public enum Peer {
  /// A peer that is not there, or that failed.
  public struct Failure: Error, CustomStringConvertible {
    /// What is missing or what went wrong.
    public let description: String
  }

  /// Runs a script of `Tests/Peers` with the Python of `make setup`; gives what it printed.
  public static func python(_ script: String, _ arguments: String...) throws -> String {
    try run(
      Repository.root + "/.build/peers/bin/python3",
      [Repository.root + "/Tests/Peers/" + script] + arguments)
  }

  /// Runs a Go program of `Tests/Peers`; gives what it printed.
  public static func go(_ program: String, _ arguments: String...) throws -> String {
    try run("/usr/bin/go", ["run", Repository.root + "/Tests/Peers/" + program] + arguments)
  }

  /// Runs a program to its end; gives its standard output.
  ///
  /// - Throws: ``Failure`` when the program is not there, or ends with an error.
  public static func run(_ program: String, _ arguments: [String]) throws -> String {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Failure(description: "\(program) is missing: run make setup")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    // A command that runs within the tests may have lent this process a folder that is gone by now.
    process.currentDirectoryURL = URL(filePath: Repository.root)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: printed, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure(
        description: "\(program) \(arguments.joined(separator: " ")) ended with "
          + "\(process.terminationStatus) after printing: \(text)")
    }
    return text
  }
}
