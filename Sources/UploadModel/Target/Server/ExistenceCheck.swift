/// How a server is asked whether it has files already, before any of them is sent.
package struct ExistenceCheck: Hashable, Sendable {
  /// The request. If `signs` is empty, success means that the server has the file.
  package var call: Call
  /// What a successful reply says if the server has the file; empty if its status is enough.
  package var signs: [FailureRule] = []
  /// The JSON for each file in `{files}`; nil if a request is about only one file.
  package var each: Template?
  /// The most files in a request with `each`.
  package var maxFiles = 100

  package init(call: Call) { self.call = call }

  var templates: [Template] {
    call.templates + [each].compactMap(\.self) + signs.compactMap(\.template)
  }

  /// The most files that one request may be about.
  package var most: Int { each == nil ? 1 : maxFiles }

  /// The values that fill in a request about several files.
  package func values(of files: [Template.Values]) -> Template.Values? {
    guard var values = files.first, let each else { return files.first }
    let elements = files.enumerated().map { index, file in
      var file = file
      file.index = index + 1
      return each.filled(with: file)
    }
    values.files = "[\(elements.joined(separator: ","))]"
    return values
  }

  /// Whether a status says that the server does not have the file.
  package static func isMissing(_ status: Int?) -> Bool { status == 404 || status == 410 }

  /// The part of a reply that says which files the server has, read once for all of them.
  package func content(of reply: Reply) -> ReplyContent { signs.content(of: reply) }

  /// Whether a reply by which the server has a file proves it: it came from the address that was asked, and says so
  /// itself.
  package func isProof(_ end: TransferEnd, in content: ReplyContent) -> Bool {
    !end.isFromElsewhere && (signs.isEmpty || signs.prove(content, of: end))
  }

  /// Whether the server has a file, after a request whose status means success. Throws if the reply does not say.
  package func isThere(
    _ end: TransferEnd, in content: ReplyContent
  ) throws(Failure.Cause) -> Bool {
    if signs.isEmpty, end.isFromElsewhere {
      let address = SafeText.line(Verdict.shown(end.url.absoluteString) ?? "")
      throw .unusable(
        "\(address) answered in its place, and that status does not say whether the file is there; "
          + "\"is_there_when\" can describe such an answer")
    }
    let isThere = try signs.fit(end, content)
    guard each != nil, let document = content.document else { return isThere }
    // A list of another length would not be about exactly the files that the server was asked about.
    for case .pointer(let pointer) in signs.map(\.place) where pointer.dependsOnFile {
      let found = pointer.fileCount(in: document)
      guard found != end.place.count else { continue }
      throw .unusable(
        "its answer has \(found.map { "\($0) entries" } ?? "no list") at \(pointer.list) for "
          + "\(end.place.count) files")
    }
    return isThere
  }
}
