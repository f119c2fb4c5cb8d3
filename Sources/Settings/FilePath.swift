import ScalarText

/// Resolves relative paths and `~` in a configuration.
struct FilePath: Sendable {
  /// The folder of the configuration, which relative paths start from.
  let folder: String
  /// The folder that `~` stands for.
  let home: String

  func absolute(_ path: String) -> String {
    if path == "~" || path.hasPrefix(scalars: "~/") {
      return home + String(path.unicodeScalars.dropFirst())
    }
    return path.hasPrefix(scalars: "/") ? path : "\(folder)/\(path)"
  }
}
