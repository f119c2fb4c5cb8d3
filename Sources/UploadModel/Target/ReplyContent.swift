import JSONText

/// What a target's rules look at in a reply, read once for all of them and all files of a request.
public struct ReplyContent: Hashable, Sendable {
  /// The reply as JSON; nil where it is not, or no rule asks for that.
  internal(set) var document: JSONValue?
  /// What the pattern for the file's address matches; nil where nothing does, or there is no pattern.
  internal(set) var match: String?
  /// The same for the address that deletes the file.
  internal(set) var deletionMatch: String?
}
