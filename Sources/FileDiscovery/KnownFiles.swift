import MultipartForm

/// The identities of files when they were last reported, so that each state of a file is reported once.
struct KnownFiles {
  private(set) var identities: [FileLocation: FileIdentity] = [:]

  /// Whether the file exists and has changed since the last call. Remembers its state.
  mutating func isNews(_ file: FileLocation) -> Bool {
    guard let identity = try? FileIdentity(of: file), identities[file] != identity else {
      return false
    }
    identities[file] = identity
    return true
  }

  /// Forgets a file, unless another has since taken its place.
  mutating func forgetIfGone(_ file: FileLocation) {
    if !Self.isThere(file) { identities[file] = nil }
  }

  /// Forgets all files that no longer exist.
  mutating func forgetGone() { identities = identities.filter { Self.isThere($0.key) } }

  private static func isThere(_ file: FileLocation) -> Bool {
    (try? FileIdentity(of: file)) != nil
  }
}
