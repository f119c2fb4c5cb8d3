import Foundation

/// How long tests run that could run for ever: `make test-long` sets `HOIST_LONG`.
public enum Effort {
  /// Whether there is an hour and not minutes.
  public static let isLong = ProcessInfo.processInfo.environment["HOIST_LONG"] != nil

  /// The one value or the other.
  public static func of<Value>(_ usual: Value, long: Value) -> Value { isLong ? long : usual }
}
