import Foundation
import ScalarText

/// A file on the server that has the name under which another one was to be sent.
package struct TakenName: Hashable, Sendable, Codable {
  package var name: String
  /// Its size in bytes, if the server says so.
  package var size: Int64?
  /// When it was stored, as the server says it, in local time if it can be read.
  package var time: String?
  /// Whether a person is to be asked what becomes of the file that was to be sent.
  package var asks: Bool?
  /// Whether that file cannot be sent under another name.
  package var isFixed: Bool?

  package init(_ name: String, size: Int64? = nil, time: String? = nil) {
    (self.name, self.size, self.time) = (name, size, time)
  }

  /// What a reply to a HEAD request says about it.
  package init(_ name: String, in end: TransferEnd, now: Date) {
    self.name = name
    size = end.headers["content-length"].flatMap { Int64($0.trimming(\.isWhiteSpace)) }
    time = end.headers["last-modified"].map { text in
      RetryAfter.date(text.trimming(\.isWhiteSpace), now: now).map(Self.words) ?? text
    }
  }

  /// "1.2 MB, 2026-11-29 14:00:20"; empty if nothing is known.
  package var words: String {
    [size.map { HumanReadable.bytes($0) }, time].compactMap(\.self).joined(separator: ", ")
  }

  /// The same with `change` applied to its texts: the name comes from the target's template, the time from the server.
  func mapText(_ change: (String) -> String) -> TakenName {
    var taken = self
    (taken.name, taken.time) = (change(name), time.map(change))
    return taken
  }

  /// A time as people read it, in local time.
  package static func words(_ time: Date) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return time.formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }
}

/// What became of a file whose name was taken on the server.
package struct NameFate: Hashable, Sendable, Codable {
  /// What has the name, so that the file was not sent; nil if it was sent.
  package var skipped: TakenName?
  /// The other name under which it was sent, or under which the server keeps it beside what has the name; nil if there
  /// is none.
  package var renamed: String?

  package init() {}
}
