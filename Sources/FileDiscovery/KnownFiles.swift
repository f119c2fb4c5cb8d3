import MultipartForm

/// What files looked like when they were last told of: a file is news once for each state.
struct KnownFiles {
  private(set) var identities: [FileLocation: FileIdentity] = [:]

  /// Whether a file is there and looks otherwise than it did; it is known from now on.
  mutating func isNews(_ file: FileLocation) -> Bool {
    guard let identity = try? FileIdentity.of(file), identities[file] != identity else {
      return false
    }
    identities[file] = identity
    return true
  }

  /// Lets go of a file, unless another has come in its place since.
  mutating func forgetIfGone(_ file: FileLocation) {
    if !Self.isThere(file) { identities[file] = nil }
  }

  /// Lets go of all files that are not there any more.
  mutating func forgetGone() { identities = identities.filter { Self.isThere($0.key) } }

  private static func isThere(_ file: FileLocation) -> Bool {
    (try? FileIdentity.of(file)) != nil
  }
}
