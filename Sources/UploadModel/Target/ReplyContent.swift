import JSONText

/// What a target's rules look at in a reply, read once for all of them and all files of a request.
public struct ReplyContent: Hashable, Sendable {
  /// The reply as JSON; nil where it is not, or no rule asks for that.
  var document: JSONValue?
  /// What patterns for failures match.
  var matches: [Pattern: String] = [:]
  /// What the pattern for the file's address matches; nil where nothing does, or there is no pattern.
  var match: String?
  /// The same for the address that deletes the file.
  var deletionMatch: String?
}
