import Foundation
import JSONText

/// A request for permission to upload. Its reply says where to upload, and with which form fields and header fields
/// (presigned POST and PUT).
package struct Ticket: Hashable, Sendable {
  /// The request.
  package var call: ServerCall
  /// Where its reply names the URL that takes the file.
  package var uploadURL: ReplyValue
  /// Where its reply holds an object of form fields; nil for none.
  package var fields: JSONPointer?
  /// Where its reply holds an object of header fields; nil for none.
  package var headers: JSONPointer?
  /// What its reply says if the server has the file already, and wants nothing; empty if it never says so.
  package var signs: [FailureRule] = []

  /// Hosts that get the target's own credentials if the ticket leads there.
  package var namedHosts: Set<NamedHost> = []

  /// A way to get a ticket.
  package init(
    call: ServerCall, uploadURL: ReplyValue, fields: JSONPointer? = nil,
    headers: JSONPointer? = nil
  ) {
    self.call = call
    self.uploadURL = uploadURL
    self.fields = fields
    self.headers = headers
  }

  /// Whether the file goes to an address that a ticket names with the target's own header fields and bearer token.
  ///
  /// - Parameter home: the target's own origin.
  package func givesCredentials(at url: URL, from home: Origin?) -> Bool {
    namedHosts.contains { $0.holds(for: url, from: home) }
  }

  /// Everything in it that is filled in.
  var templates: [Template] {
    call.templates + [uploadURL.prefix, uploadURL.suffix] + signs.compactMap(\.template)
  }

  /// Whether the server has the file, so that no ticket is needed.
  ///
  /// - Throws: why the reply cannot tell.
  package func isThere(_ end: TransferEnd) throws(Failure.Cause) -> Bool {
    signs.isEmpty ? false : try signs.fit(end)
  }

  /// What a ticket allows.
  package struct Grant: Hashable, Sendable {
    /// Where the file goes.
    package var url: URL
    /// Form fields that go before all others.
    package var fields: [Target.Field] = []
    /// Header fields that go with the file, whichever server takes it.
    package var headers: [Target.Field] = []
    /// All that the ticket says; nil if it is not JSON.
    package var reply: JSONValue?
  }

  /// What a reply to the call at `end.url` allows.
  ///
  /// - Parameters:
  ///   - redirects: origins to which it may lead unencrypted.
  ///   - values: the values for the file.
  /// - Throws: `InvalidInput` if the reply is not a ticket, or leads where the file must not go.
  package func grant(
    in end: TransferEnd, redirects: Set<Origin>, values: Template.Values
  ) throws(InvalidInput) -> Grant {
    let document = JSONValue(text: end.reply.text)
    if document == nil, uploadURL.place.needsJSON || fields != nil || headers != nil {
      throw InvalidInput(
        end.reply.isCut
          ? "its answer is too long to read" : "its answer is not JSON")
    }
    guard let text = uploadURL.text(in: end, values: values), !text.isEmpty else {
      throw InvalidInput("the ticket has no \(uploadURL.words)")
    }
    guard let url = URL(written: text, relativeTo: end.url)?.absoluteURL, let origin = Origin(url),
      url.user == nil, url.password == nil
    else {
      throw InvalidInput("the ticket's \(uploadURL.words) is not a URL that files can be sent to")
    }
    // A ticket that was requested over TLS must not lead to an unencrypted upload.
    guard
      origin.scheme == "https" || Origin(end.url)?.scheme == "http" || redirects.contains(origin)
    else {
      throw InvalidInput(
        "the ticket leads from https to \(origin), which is not encrypted; list it in "
          + "redirect_to if that is meant")
    }
    return Grant(
      url: url, fields: try pairs("fields", fields, document),
      headers: try headers(in: document), reply: document)
  }

  private func headers(in document: JSONValue?) throws(InvalidInput) -> [Target.Field] {
    var kept: [Target.Field] = []
    for field in try pairs("header fields", headers, document) {
      // Signatures cover these two, but they are always hoist's own.
      if ["host", "content-length"].contains(field.name.lowercased()) { continue }
      // Targets cannot set Content-Type, but a ticket may: its signature may cover it. Check the value only.
      let name = field.name.lowercased() == "content-type" ? "X" : field.name
      do throws(InvalidInput) {
        try HeaderRule.check(name: name, value: field.value.fixedText)
      } catch {
        throw InvalidInput("the ticket's header fields cannot be sent: \(error.description)")
      }
      kept.append(field)
    }
    return kept
  }

  private func pairs(
    _ what: String, _ pointer: JSONPointer?, _ document: JSONValue?
  ) throws(InvalidInput) -> [Target.Field] {
    guard let pointer else { return [] }
    guard case .object(let members)? = document.flatMap({ pointer.value(in: $0) }) else {
      throw InvalidInput("the ticket has no \(what) at \(pointer)")
    }
    return members.sorted { $0.key < $1.key }.map {
      Target.Field(name: $0.key, value: Template(literal: $0.value.text))
    }
  }
}
