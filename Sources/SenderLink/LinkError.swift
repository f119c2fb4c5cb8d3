import Foundation

/// Why there is no socket, or why nobody answers at it.
package struct LinkError: Error, Hashable, CustomStringConvertible {
  /// One sentence without its full stop.
  package let description: String

  init(_ description: String) { self.description = description }

  init(_ doing: String, errno code: Int32) {
    description = "\(doing): \(String(cString: strerror(code)))"
  }
}
