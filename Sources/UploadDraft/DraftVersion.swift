import StructuredFields

/// A version of Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload): its interop number, on which client
/// and server must agree, and its rules.
///
/// ``all`` is the only place that says how the versions differ.
package struct DraftVersion: Hashable, Sendable {
  /// A rule that only some versions have.
  package enum Rule: Hashable, Sendable, CaseIterable {
    /// `Upload-Incomplete` takes the place of `Upload-Complete`, with the opposite meaning.
    case incomplete
    /// Requests that only query or delete an upload must not have header fields that belong to other requests.
    case bareQuestions
    /// `Upload-Complete` in the reply to HEAD says whether the upload is complete.
    case statedCompleteness
    /// Interim replies report how much has arrived.
    case progress
    /// A request that appends to an upload has a media type of its own.
    case pieceType
    /// `Upload-Length` tells the length of the whole upload.
    case length
    /// `Upload-Limit` tells the limits, even in the reply to OPTIONS.
    case limits
    /// The lifetime among the limits is called `max-age`, not `expires`.
    case maxAge
    /// `Upload-Complete` in a reply says whether the reply comes from the resource that the upload is for. In earlier
    /// versions, the request tells whether the upload is complete, each reply tells the offset, 201 acknowledges a
    /// part, and `Location` in the reply to the creating request names the upload.
    case markedReplies
    /// A lost reply to a complete upload can be requested again. (Version 8 forbids that. It has this rule
    /// nevertheless, since only clients that want the reply ask for it.)
    case replay
  }

  /// The interop version's number.
  package let number: Int64
  package let drafts: String
  private let rules: Set<Rule>

  /// All versions, the oldest first.
  package static let all: [DraftVersion] = [
    DraftVersion(3, "-01", [.incomplete, .bareQuestions, .statedCompleteness]),
    DraftVersion(4, "-02", [.bareQuestions, .statedCompleteness]),
    DraftVersion(5, "-03", [.bareQuestions, .statedCompleteness, .progress]),
    DraftVersion(
      6, "-04, -05",
      [.bareQuestions, .statedCompleteness, .progress, .pieceType, .length, .limits]),
    DraftVersion(
      7, "-06 to -08",
      [.statedCompleteness, .progress, .pieceType, .length, .limits, .maxAge, .markedReplies]),
    DraftVersion(
      8, "-09 to -11",
      [
        .statedCompleteness, .progress, .pieceType, .length, .limits, .maxAge, .markedReplies,
        .replay,
      ]),
    DraftVersion(
      9, "-12",
      [
        .statedCompleteness, .progress, .pieceType, .length, .limits, .maxAge, .markedReplies,
        .replay,
      ]),
    DraftVersion(
      10, "-13", [.progress, .pieceType, .length, .limits, .maxAge, .markedReplies, .replay]),
  ]
  package static let newest = all[all.count - 1]
  /// The version of an upload whose record names none: such records date from when hoist supported only this one.
  package static let unnamed = DraftVersion(number: 8) ?? newest

  private init(_ number: Int64, _ drafts: String, _ rules: Set<Rule>) {
    (self.number, self.drafts, self.rules) = (number, drafts, rules)
  }

  /// The version with that number; nil if it is not in the table.
  package init?(number: Int64) {
    guard let known = Self.all.first(where: { $0.number == number }) else { return nil }
    self = known
  }

  /// The version that a message names; nil if it names none, or one that is not in the table.
  package init?(named value: String?) {
    guard let number = value.flatMap({ FieldValue(item: $0)?.integer }) else { return nil }
    self.init(number: number)
  }

  /// Whether the version has that rule.
  package func has(_ rule: Rule) -> Bool { rules.contains(rule) }

  /// The versions before this one, the newest first.
  package var older: [DraftVersion] { Self.all.filter { $0.number < number }.reversed() }

  // MARK: Header fields

  /// The header field that names the version.
  package static let versionField = "Upload-Draft-Interop-Version"
  /// The media type of a part of an upload.
  package static let partialUpload = "application/partial-upload"

  /// The header field that names this version.
  package var stamp: (String, String) { (Self.versionField, "\(number)") }

  /// The media type of a request that appends to an upload; nil if the version does not define one.
  package var pieceType: String? { has(.pieceType) ? Self.partialUpload : nil }

  /// The key of the lifetime in `Upload-Limit`.
  package var ageKey: String { has(.maxAge) ? "max-age" : "expires" }

  private var completenessField: String {
    has(.incomplete) ? "Upload-Incomplete" : "Upload-Complete"
  }

  /// The header field that says whether an upload is complete, or whether a request completes it.
  package func completeness(_ isComplete: Bool) -> (String, String) {
    (completenessField, isComplete != has(.incomplete) ? "?1" : "?0")
  }

  /// Whether a message says that an upload is complete; nil if it does not say.
  ///
  /// - Parameter value: returns the value of the header field with the given lower-case name, if the message has one.
  package func isComplete(_ value: (String) -> String?) -> Bool? {
    value(completenessField.lowercased()).flatMap { FieldValue(item: $0)?.boolean }
      .map { $0 != has(.incomplete) }
  }
}

/// Encoded as the version's number.
extension DraftVersion: Codable {
  /// Fails if no version has that number.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let known = DraftVersion(number: try container.decode(Int64.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no version of the draft")
    }
    self = known
  }

  /// Writes the number.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}
