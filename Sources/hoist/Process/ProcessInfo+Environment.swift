import Foundation

extension ProcessInfo {
  /// The environment, read once: Foundation makes a dictionary of it each time.
  static let environment = processInfo.environment
}
