/// Where something is in a reply.
package enum ReplyPlace: Hashable, Sendable {
  case pointer(JSONPointer)
  /// What a regular expression finds in the text of a reply, JSON or not: its first captured group, or the whole match
  /// if it captures nothing.
  case pattern(Pattern)
  /// A header field, by its name in lower case.
  case header(String)

  /// Whether the place differs for each file of a request.
  package var dependsOnFile: Bool {
    if case .pointer(let pointer) = self { pointer.dependsOnFile } else { false }
  }
  /// The regular expression that finds the place, if any.
  var pattern: Pattern? { if case .pattern(let pattern) = self { pattern } else { nil } }
  /// Whether only a JSON reply can have this place.
  var needsJSON: Bool { if case .pointer = self { true } else { false } }
  /// Whether the place is in the content of the reply rather than in its header fields.
  var needsContent: Bool { if case .header = self { false } else { true } }
}
