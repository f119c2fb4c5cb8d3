/// A path as the user gave it.
package enum PathInput: Sendable, Equatable {
  /// Typed: if no file has exactly this name, it is read as a shell would, as one path or
  /// several, with quotes, a leading `~`, braces and the wildcards `*`, `?`, `[…]`.
  case typed(String)
  /// Pasted or quoted: exactly this file.
  case exact(String)
  /// Chosen from a list: exactly this file, byte for byte.
  case bytes([UInt8])
}
