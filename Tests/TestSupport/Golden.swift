import Foundation

/// A text that a test draws, kept in a file so that people see what changes. `HOIST_RECORD=1` writes it anew;
/// look at the difference before you commit it.
public enum Golden {
  /// Compares a drawn text with its file, or records it.
  ///
  /// - Returns: what differs, for people; nil where nothing does.
  public static func difference(of drawn: String, from file: URL) throws -> String? {
    if ProcessInfo.processInfo.environment["HOIST_RECORD"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try drawn.write(to: file, atomically: true, encoding: .utf8)
    }
    let name = file.lastPathComponent
    let golden = (try? String(contentsOf: file, encoding: .utf8)) ?? "(no file \(name))"
    guard drawn != golden else { return nil }
    return
      "\(name) differs; HOIST_RECORD=1 records it anew. Drawn:\n\(drawn)\nExpected:\n\(golden)"
  }
}
