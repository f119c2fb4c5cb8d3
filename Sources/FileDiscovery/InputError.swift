import Foundation

/// Why the files of an input cannot be found or read.
package struct InputError: Error, CustomStringConvertible {
  /// The reason and, where that helps, what to do about it.
  package let description: String
}

extension InputError {
  /// What this value of `errno` means.
  init(_ code: Int32) { self.init(description: String(cString: strerror(code))) }

  /// A system call that failed with this value of `errno`.
  init(_ doing: String, _ code: Int32) {
    self.init(description: "cannot \(doing): \(String(cString: strerror(code)))")
  }
}
