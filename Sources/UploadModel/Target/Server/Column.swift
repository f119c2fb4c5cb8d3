import Foundation
import JSONText

/// A value of an entry on the server, and the format that it is shown in.
package struct Column: Hashable, Sendable {
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// As it is.
    case text
    /// Seconds since 1970, shown as local time.
    case epoch
    /// Milliseconds since 1970, shown as local time.
    case epochMilliseconds = "epoch_ms"
    /// An ISO 8601 time, shown as local time.
    case iso8601
  }

  /// Where the value is in the entry.
  package var pointer: JSONPointer
  package var format: Format

  package init(_ pointer: JSONPointer, _ format: Format = .text) {
    (self.pointer, self.format) = (pointer, format)
  }

  /// The text of the value in an entry; nil if the entry has no such value. A value that is not a time stays as it is.
  func text(in entry: JSONValue) -> String? {
    guard let value = pointer.value(in: entry) else { return nil }
    let date: Date? =
      switch format {
      case .text: nil
      case .epoch: Double(value.text).map { Date(timeIntervalSince1970: $0) }
      case .epochMilliseconds: Double(value.text).map { Date(timeIntervalSince1970: $0 / 1000) }
      case .iso8601: Self.styles.lazy.compactMap { try? $0.parse(value.text) }.first
      }
    // A number that means a time more than some 6000 years from 1970 is probably not a time at all.
    guard let date, abs(date.timeIntervalSince1970) < 2e11 else { return value.text }
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return date.formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }

  private static let styles = [
    Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
    Date.ISO8601FormatStyle().year().month().day(),
  ]
}
