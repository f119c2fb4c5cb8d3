/// How a server is asked whether it has a file already, before any of the file is sent.
package struct ExistenceCheck: Hashable, Sendable {
  /// The request. A success means that the server has the file, unless `signs` say more.
  package var call: ServerCall
  /// What a successful reply says if the server has the file; empty if its status is enough.
  package var signs: [FailureRule] = []

  /// A check by this request.
  package init(call: ServerCall) { self.call = call }

  /// Everything in it that is filled in.
  var templates: [Template] { call.templates + signs.compactMap(\.template) }

  /// Whether a status says that the server does not have the file.
  package static func isMissing(_ status: Int?) -> Bool { status == 404 || status == 410 }

  /// Whether the server has the file.
  ///
  /// - Parameter end: the end of the request, with a status that means success.
  /// - Throws: why its reply cannot tell.
  package func isThere(_ end: TransferEnd) throws(Failure.Cause) -> Bool {
    signs.isEmpty ? true : try Self.isThere(end, by: signs)
  }

  /// Whether the server has the file, according to these signs.
  static func isThere(
    _ end: TransferEnd, by signs: [FailureRule]
  ) throws(Failure.Cause) -> Bool {
    var rules = ReplyRules()
    rules.failures = signs
    let content = rules.read(end.reply)
    if rules.matches(content, of: end) { return true }
    // A file that is not sent must not be lost because of a reply that says nothing.
    if content.document == nil, signs.contains(where: \.place.needsJSON) {
      throw .unusable("its answer is not JSON")
    }
    if end.reply.isCut { throw .unusable("its answer is too long to read") }
    if let pattern = content.undecided.first {
      throw .unusable("searching its answer for \(pattern.source) takes too long")
    }
    return false
  }
}
