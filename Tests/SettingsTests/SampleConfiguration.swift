import TestSupport

/// `config/config.toml`, which shows every key: what tests do with each key, they do with those in there.
enum SampleConfiguration {
  static let path = "\(Repository.root)/config/config.toml"
  /// What its placeholders need.
  static let environment = ["HOME": "/home/me", "ALBUM_TOKEN": "t", "STORE_TOKEN": "s"]
  static let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  /// The same with the defaults in force that its commented lines name.
  static let withDefaults = text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.hasPrefix("#") && !$0.hasPrefix("# ") && $0 != "#" ? $0.dropFirst() : $0 }
    .joined(separator: "\n")
}
