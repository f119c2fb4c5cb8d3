import ScalarText

/// What relative paths and `~` in a configuration refer to.
struct FilePath {
  /// The folder of the configuration.
  let folder: String
  /// What `~` stands for.
  let home: String

  func absolute(_ path: String) -> String {
    if path == "~" || path.hasPrefix(scalars: "~/") {
      return home + String(path.unicodeScalars.dropFirst())
    }
    return path.hasPrefix(scalars: "/") ? path : "\(folder)/\(path)"
  }
}
