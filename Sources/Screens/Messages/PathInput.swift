/// A path as a person gave it.
public enum PathInput: Sendable, Equatable {
  /// Typed: a leading `~` and the wildcards `*`, `?`, `[…]` are to be expanded where no file has
  /// exactly this name.
  case typed(String)
  /// Pasted or quoted: exactly this file.
  case exact(String)
  /// Chosen from a list: exactly this file, byte for byte.
  case bytes([UInt8])
}
