import Foundation
import TestSupport

/// A folder of files, in folders of it where their names say so.
struct TemporaryFolder {
  let path: String

  init() throws { path = try ScratchDirectory().path }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }
}
