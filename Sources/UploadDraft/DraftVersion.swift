/// A version of Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload): its interop number, on which client
/// and server must agree, and its rules.
///
/// `Rule.versions` is the only place that says how the versions differ.
package enum DraftVersion: Int64, CaseIterable, Codable, Sendable {
  // The interop numbers, each with its drafts.
  case three = 3  // -01
  case four  // -02
  case five  // -03
  case six  // -04, -05
  case seven  // -06 to -08
  case eight  // -09 to -11
  case nine  // -12
  case ten  // -13

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

    /// The versions that have the rule.
    fileprivate var versions: ClosedRange<Int64> {
      switch self {
      case .incomplete: 3...3
      case .bareQuestions: 3...6
      case .statedCompleteness: 3...9
      case .progress: 5...10
      case .pieceType, .length, .limits: 6...10
      case .maxAge, .markedReplies: 7...10
      case .replay: 8...10
      }
    }
  }

  package static let newest = DraftVersion.ten

  /// The interop version's number.
  package var number: Int64 { rawValue }

  /// The version that a message names; nil if it names none, or one that is unknown.
  package init?(named value: String?) {
    guard let number = value.flatMap({ FieldValue(item: $0)?.integer }) else { return nil }
    self.init(rawValue: number)
  }

  /// Whether the version has that rule.
  package func has(_ rule: Rule) -> Bool { rule.versions.contains(number) }

  /// The versions before this one, the newest first.
  package var older: [DraftVersion] { Self.allCases.filter { $0.number < number }.reversed() }

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

  /// Whether a message says that an upload is complete; nil if it does not say. `value` returns the value of the header
  /// field with the given lower-case name, if the message has one.
  package func isComplete(_ value: (String) -> String?) -> Bool? {
    value(completenessField.lowercased()).flatMap { FieldValue(item: $0)?.boolean }
      .map { $0 != has(.incomplete) }
  }
}
