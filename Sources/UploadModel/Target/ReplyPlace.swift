/// Where something is in a reply.
package enum ReplyPlace: Hashable, Sendable {
  case pointer(JSONPointer)
  /// What an expression finds in the text of a reply, JSON or not: its first captured group, or else its whole match.
  case pattern(Pattern)
  /// A header field, its name in lower case.
  case header(String)

  /// Whether it differs for each file of a request.
  package var dependsOnFile: Bool {
    if case .pointer(let pointer) = self { pointer.dependsOnFile } else { false }
  }
  /// Whether only a JSON reply has it.
  var needsJSON: Bool { if case .pointer = self { true } else { false } }
  /// Whether it is in the content of the reply.
  var needsContent: Bool { if case .header = self { false } else { true } }
}
