import Foundation

/// A program that a test needs and that is not ours.
public enum Tool {
  /// Why a program did not do what a test wanted of it.
  public struct Failed: Error, CustomStringConvertible {
    public let description: String
  }

  /// Runs a program found on the PATH to its end and gives what it printed.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: try path(of: name))
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "\(name) \(arguments): \(process.terminationStatus)\n\(words)")
    }
    return text
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
