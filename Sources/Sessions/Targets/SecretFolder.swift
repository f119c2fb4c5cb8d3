import Foundation
import ProcessContext
import ScalarText
import Screens
import Settings
import UploadModel

/// The folder beside the configuration for secrets that a person types: each is in a file of its own, which only its
/// owner can read.
package struct SecretFolder {
  private let config: ConfigSource
  private static let name = "secrets"

  package init(beside config: ConfigSource) { self.config = config }

  private var path: String {
    let file = URL(fileURLWithPath: config.path)
    return file.deletingLastPathComponent().appendingPathComponent(Self.name).path
  }

  /// The folder's path as it is shown to people.
  package var shownPath: String { config.shown(path) }

  /// Writes a secret into a new file, and returns its path relative to the configuration. The file is called `name`, or
  /// has a number after that if there is such a file already.
  func keep(_ secret: String, as name: String) throws(UserError) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw UserError(
        "the folder for secrets, \(shownPath), cannot be made: \(Settings.reason(for: error))",
        status: .someFailed)
    }
    let taken = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let free = NewTarget.free(Self.bare(name), taken: taken)
    try AtomicFile.write("\(secret)\n".utf8, to: "\(path)/\(free)", mode: 0o600)
    return "\(Self.name)/\(free)"
  }

  /// Replaces the secret in a file of this folder, and returns the old one.
  func replace(_ file: String, with secret: String) throws(UserError) -> String {
    let old = try? String(contentsOfFile: file, encoding: .utf8)
    // The permissions that the old file had were not meant for the new secret.
    chmod(file, 0o600)
    try AtomicFile.write("\(secret)\n".utf8, to: file, mode: 0o600)
    return old?.trimming(\.isLineBreak) ?? ""
  }

  /// Removes a file that `keep` has written, and the folder if nothing is left in it.
  func remove(_ relative: String) {
    unlink((path as NSString).deletingLastPathComponent + "/" + relative)
    rmdir(path)
  }

  /// The file of this folder from which a target has its secret. Refuses a target with several.
  func file(of target: String, in settings: Settings, _ edit: ConfigEdit) throws(UserError)
    -> String?
  {
    let files = edit.secrets(of: target).compactMap(settings.secretFile)
      .filter { $0.hasPrefix(scalars: path + "/") }
    if files.count > 1 {
      throw UserError("\(target) has several secrets in \(shownPath): write each into its file")
    }
    return files.first
  }

  /// A name for a secret: letters, digits, dashes and underscores.
  package static func bare(_ name: String) -> String {
    let bytes = name.utf8.map { byte -> UInt8 in
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      return isLetter || isDigit || byte == UInt8(ascii: "_") ? byte : UInt8(ascii: "-")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
