/// Why files cannot be found where they were to be.
package struct InputError: Error, CustomStringConvertible {
  /// The reason, and what to do about it where that helps.
  package let description: String
}
