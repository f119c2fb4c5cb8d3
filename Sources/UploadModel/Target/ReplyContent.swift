import JSONText

/// What a target's rules look for in a reply, read once for all rules and all files of a request.
package struct ReplyContent: Hashable, Sendable {
  /// The reply as JSON; nil if it is not JSON, or no rule needs it.
  var document: JSONValue?
  /// What the patterns for failures match.
  var matches: [Pattern: String] = [:]
  /// What the pattern for the file's address matches; nil if it matches nothing, or there is no pattern.
  var match: String?
  /// The same for the address that deletes the file.
  var deletionMatch: String?
}
