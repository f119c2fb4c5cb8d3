/// Why the files of an input cannot be found.
package struct InputError: Error, CustomStringConvertible {
  /// The reason and, where that helps, what to do about it.
  package let description: String
}
