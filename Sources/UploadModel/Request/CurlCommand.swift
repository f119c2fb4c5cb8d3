import Digests
import Foundation
import MultipartForm

/// The command that makes curl send one of the requests that hoist would send. Secrets are shell variables, so that the
/// command can be shown and copied; every other word is quoted (`ShellWord`). What only a reply fills in stays a
/// placeholder, as in a dry run.
///
/// It needs curl 7.81 or newer, which encodes forms as browsers do, or 7.87 to sign requests to S3.
package struct CurlCommand: Hashable, Sendable {
  /// Each option with its value, as a shell reads it.
  let lines: [String]

  /// The command as a shell reads it, with one option on each line, after a comment if the upload takes several
  /// requests.
  package let text: String

  /// The variables that must be set for the command, each once.
  package let variables: [String]

  /// What a request carries.
  package enum Content: Hashable, Sendable {
    case nothing
    case text(RequestHead.Text)
    case file(FileLocation)
    case form([RequestPlan.Part])
  }

  /// The beginning of a file, which goes to curl's standard input.
  package struct Beginning: Hashable, Sendable {
    package var file: FileLocation
    package var bytes: Int64

    package init(of file: FileLocation, bytes: Int64) { (self.file, self.bytes) = (file, bytes) }
  }

  /// Makes the command for the target's usual request with at least one file; `key` is the value of `{uuid}`. `note` is
  /// a comment. Throws if curl cannot send the same request.
  package init(
    _ items: [UploadItem], with companions: [ItemID: [Companion]] = [:], to plan: SendPlan,
    on occasion: Occasion = Occasion(), now: Date, key: UUID? = nil, note: String? = nil
  ) throws(InvalidInput) {
    guard let first = items.first else { throw InvalidInput("there is no file") }
    let target = plan.target
    var values = target.values(of: first, on: occasion, now: now, uuid: key ?? first.uuid)
    // A ticket may lead anywhere, and another origin gets no credentials.
    let ticket = target.ticket
    if ticket != nil { values.gaps = .ofReplies }
    let request: RequestPlan
    do throws(Failure.Cause) {
      request = try RequestPlan(
        items, with: companions, to: plan, on: occasion, at: ticket == nil ? .target : .ticket,
        credentials: ticket == nil ? .all(token: target.tokenPlaceholder) : .none, values)
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    let content: Content =
      switch request.content {
      case .file(let file): .file(file.location)
      case .form(let parts): .form(parts)
      }
    try self.init(
      request.head, at: ticket?.addressPlaceholder(values), content, to: target,
      isTrusted: ticket == nil, sum: first.digests?[.sha256], note: note)
  }

  /// Makes the command for a request besides the target's own, such as one of an upload that takes several. `content`
  /// is nil if the request carries no part of the file. A `type` is that of the content, if the request names none.
  package init(
    _ request: ResumeRequest, to plan: SendPlan, _ values: Template.Values,
    _ content: Content? = nil, from beginning: Beginning? = nil, type: String? = nil,
    sum: String? = nil, note: String
  ) throws(InvalidInput) {
    let target = plan.target
    var head: RequestHead
    do throws(Failure.Cause) {
      head = try request.shownHead(of: plan, values)
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    if let type, !head.has("Content-Type") { head.set("Content-Type", type) }
    let isTrusted = request.isKnownToBe(at: target)
    let hasCredentials =
      !target.headers.isEmpty || target.tokenCommand != nil || target.sigV4 != nil
      || target.digest != nil
    let isOpen = request.described?.isAddressFromReply == true && hasCredentials
    let hint =
      isOpen
      ? "; with the target's own header fields too, if this is on \(target.origin?.description ?? "its server")"
      : ""
    let text: Content? = request.described?.text.map { .text($0) }
    try self.init(
      head, content ?? text ?? .nothing, from: beginning, to: target, isTrusted: isTrusted,
      sum: sum, note: note + hint)
  }

  /// - Parameters:
  ///   - address: where the request goes, if the head does not say.
  ///   - beginning: the part of the file that the request carries, if it is not the whole.
  ///   - isTrusted: whether the request goes to the target's own server, which alone gets the credentials.
  ///   - sum: the SHA-256 of the content, if it is known.
  private init(
    _ head: RequestHead, at address: RequestHead.Text? = nil, _ content: Content,
    from beginning: Beginning? = nil, to target: Target, isTrusted: Bool, sum: String? = nil,
    note: String?
  ) throws(InvalidInput) {
    var options = CurlOptions()
    var start = "curl --globoff --request \(ShellWord.quoted(head.method))"
    if let beginning {
      let file = try options.word([CurlOptions.path(beginning.file)])
      start = "head -c \(beginning.bytes) < \(file) | \(start)"
    }
    options.add(start)
    try options.add("", options.pieces(address ?? head.address ?? []))
    try options.addTLS(of: target)
    for header in head.headers { try options.add(header) }
    if isTrusted {
      try options.addCredentials(
        of: target, head, sum: (sum ?? content.fixedText.map { SHA256.hash($0.utf8).hexadecimal }))
    }
    // To curl, a dash is its standard input.
    let piece = beginning.map { _ in CurlOptions.Piece.text("-") }
    switch content {
    case .file(let file):
      try options.add("--data-binary", [.text("@"), piece ?? CurlOptions.path(file)])
    case .form(let parts): for part in parts { try options.add(part, content: piece) }
    case .text(let text):
      if !head.has("Content-Type") { try options.add("--header", [.text("Content-Type:")]) }
      try options.add("--data-raw", options.pieces(text))
    case .nothing where ["POST", "PUT"].contains(head.method):
      if !head.has("Content-Type") { try options.add("--header", [.text("Content-Type:")]) }
      options.add("--data-raw ''")
    case .nothing: break
    }
    (lines, variables) = (options.lines, options.variables)
    text = (note.map { "# \($0)\n" } ?? "") + lines.joined(separator: " \\\n  ")
  }
}

extension CurlCommand.Content {
  /// The text of content that is known in full; nil for files and forms, and if something is yet to be filled in.
  fileprivate var fixedText: String? {
    switch self {
    case .nothing: ""
    case .file, .form: nil
    case .text(let text):
      text.contains { if case .unfilled = $0 { true } else { false } } ? nil : text.written
    }
  }
}

extension ResumeRequest {
  /// The head as it is shown. Only the target's own server gets the credentials. If the address comes from a reply, it
  /// is not known yet whether that is where it leads.
  package func shownHead(
    of plan: SendPlan, _ values: Template.Values, accept: String = "*/*"
  ) throws(Failure.Cause) -> RequestHead {
    let target = plan.target
    return try RequestHead(
      self, of: plan,
      credentials: isKnownToBe(at: target) ? .all(token: target.tokenPlaceholder) : .none,
      values: values, accept: accept)
  }

  /// Whether it goes to the target's own server, as far as is known before anything is sent.
  fileprivate func isKnownToBe(at target: Target) -> Bool {
    guard let described else { return Origin(url) == target.origin }
    return !described.isAddressFromReply && Origin(text: described.address.written) == target.origin
  }
}

extension Ticket {
  /// What stands for the address of the upload before there is a ticket.
  fileprivate func addressPlaceholder(_ values: Template.Values) -> RequestHead.Text {
    let place =
      if case .pointer(let pointer) = uploadURL.place { "ticket:\(pointer)" } else {
        uploadURL.words
      }
    return uploadURL.prefix.stretches(with: values) + [.text("{\(place)}")]
      + uploadURL.suffix.stretches(with: values)
  }
}
