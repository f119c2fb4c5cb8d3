extension RequestHead {
  /// The head of a request besides the target's own. `accept` says which media types its reply may have.
  package init(
    _ asked: ResumeRequest, of plan: SendPlan, on occasion: Occasion = Occasion(),
    credentials: Credentials, values: Template.Values, accept: String = "*/*"
  ) throws(Failure.Cause) {
    self.init(
      method: asked.method,
      address: asked.described?.address ?? [.text(asked.url.absoluteString)], accept: accept)
    try add(credentials, of: plan, on: occasion, values)
    if asked.isAboutFolder { plan.headersOfFile.forEach { remove($0) } }
    add(asked.headers)
    // A ticket may name the type itself, since its signature may cover it.
    if let type = asked.described?.type, !has("Content-Type") { set("Content-Type", type) }
  }

  /// What the replies to small requests, such as the one for a ticket, should be: hoist reads them itself.
  package static let json = "application/json"

  /// Adds the name of a file that goes without a form (RFC 6266, and RFC 8187 if it is not ASCII), unless the target
  /// sets the field itself.
  package mutating func addName(_ name: String) {
    guard !has("Content-Disposition") else { return }
    // Some servers take a percent sign for the beginning of an escape.
    let isPlain = name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"\"\\%".utf8.contains($0) }
    set(
      "Content-Disposition",
      isPlain
        ? "inline; filename=\"\(name)\""
        : "inline; filename*=UTF-8''\(PercentEncoding.encode(name))")
  }
}
