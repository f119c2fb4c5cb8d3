import Foundation
import MultipartForm

/// The identities of files when they were last reported, so that each state of a file is reported once.
struct KnownFiles {
  private(set) var identities: [FileLocation: FileIdentity] = [:]
  /// Files that could not be looked at when they were reported.
  private var unknown: Set<FileLocation> = []

  /// Whether the file exists and has changed since the last call, or cannot be looked at for the first time. Remembers
  /// its state.
  mutating func isNews(_ file: FileLocation) -> Bool {
    let identity: FileIdentity
    do throws(FileError) { identity = try FileIdentity(of: file) } catch {
      switch error.reason {
      case .unreadable: break
      case .vanished where file.isLink: break
      default: return false
      }
      return unknown.insert(file).inserted
    }
    unknown.remove(file)
    return identities.updateValue(identity, forKey: file) != identity
  }

  /// Forgets a file, unless another has since taken its place.
  mutating func forgetIfGone(_ file: FileLocation) {
    unknown.remove(file)
    if !Self.isThere(file) { identities[file] = nil }
  }

  /// Forgets all files that no longer exist.
  mutating func forgetGone() { identities = identities.filter { Self.isThere($0.key) } }

  private static func isThere(_ file: FileLocation) -> Bool {
    (try? FileIdentity(of: file)) != nil
  }
}
