import Foundation

/// The configuration as a file that is edited.
struct ConfigFile {
  /// Where it lies, or would.
  let path: String

  /// Its text; empty if the file does not exist yet.
  func text() throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(validating: data, as: UTF8.self)
    else { throw UserError("\(path) cannot be read") }
    return text
  }

  /// Replaces the file. A new one can be read by its owner only.
  func write(_ text: String) throws {
    let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw UserError(
        "\(folder.path) cannot be made: \(error.localizedDescription)", status: .someFailed)
    }
    try AtomicFile.write(text.utf8, to: path, mode: 0o600)
  }
}
