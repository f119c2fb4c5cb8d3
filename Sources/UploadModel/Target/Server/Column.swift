import Foundation
import JSONText

/// A value of an entry, and how it is written.
public struct Column: Hashable, Sendable {
  /// How a value is written.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// As it is.
    case text
    /// Seconds since 1970, as the time by the clock on the wall.
    case epoch
    /// Milliseconds since 1970, as the time by the clock on the wall.
    case epochMilliseconds = "epoch_ms"
    /// A time of ISO 8601, as that by the clock on the wall.
    case iso8601
  }

  /// Where the value stands.
  public var pointer: JSONPointer
  /// How it is written.
  public var format: Format

  /// A value in a form.
  public init(_ pointer: JSONPointer, _ format: Format = .text) {
    self.pointer = pointer
    self.format = format
  }

  /// The text of an entry's value; nil where it has none. What is no time stays as it is.
  func text(in entry: JSONValue) -> String? {
    guard let value = pointer.value(in: entry) else { return nil }
    let date: Date? =
      switch format {
      case .text: nil
      case .epoch: Double(value.text).map { Date(timeIntervalSince1970: $0) }
      case .epochMilliseconds: Double(value.text).map { Date(timeIntervalSince1970: $0 / 1000) }
      case .iso8601: Self.date(value.text)
      }
    // Years that a calendar has.
    guard let date, abs(date.timeIntervalSince1970) < 2e11 else { return value.text }
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return date.formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }

  private static func date(_ text: String) -> Date? {
    let styles = [
      Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle().year().month().day(),
    ]
    return styles.lazy.compactMap { try? $0.parse(text) }.first
  }
}
