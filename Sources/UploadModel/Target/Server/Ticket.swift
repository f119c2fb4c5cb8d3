import Foundation
import JSONText

/// A request for permission to upload. Its reply says where to upload, and with which form fields and header fields
/// (presigned POST and PUT).
package struct Ticket: Hashable, Sendable {
  package var call: Call
  /// Where its reply names the URL that takes the file.
  package var uploadURL: ReplyValue
  /// Where its reply contains an object of form fields; nil for none.
  package var fields: JSONPointer?
  /// Where its reply contains an object of header fields; nil for none.
  package var headers: JSONPointer?
  /// What its reply says if the server has the file already, so that nothing is sent; empty if it never says so.
  package var signs: [FailureRule] = []
  /// The request that follows the upload if the ticket asks for it; nil if tickets never do.
  package var confirmation: Confirmation?
  /// Hosts that get the target's own header fields and bearer token if the ticket leads there.
  package var namedHosts: Set<NamedHost> = []

  package init(
    call: Call, uploadURL: ReplyValue, fields: JSONPointer? = nil,
    headers: JSONPointer? = nil
  ) {
    self.call = call
    self.uploadURL = uploadURL
    self.fields = fields
    self.headers = headers
  }

  var templates: [Template] {
    call.templates + [uploadURL.prefix, uploadURL.suffix] + signs.compactMap(\.template)
      + (confirmation?.call.templates ?? [])
  }

  /// Whether the server has the file, so that no ticket is needed. Throws if the reply does not say.
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

  /// What a reply to the call at `end.url` allows. Throws if the reply is not a ticket, or leads where the file must
  /// not go.
  package func grant(
    in end: TransferEnd, values: Template.Values
  ) throws(InvalidInput) -> Grant {
    let document = JSONValue(text: end.reply.text)
    if document == nil, uploadURL.place.needsJSON || fields != nil || headers != nil {
      throw InvalidInput(
        end.reply.isCut ? "its answer is too long to read" : "its answer is not JSON")
    }
    guard let text = uploadURL.text(in: end, values: values), !text.isEmpty else {
      throw InvalidInput("the ticket has no \(uploadURL.words)")
    }
    return Grant(
      url: try Self.address(text, uploadURL.words, from: end.url),
      fields: try Self.pairs("fields", fields, document),
      headers: try Self.headers(headers, in: document), reply: document)
  }

  /// The request that tells the target's server that the file has been uploaded.
  package struct Confirmation: Hashable, Sendable {
    /// The request, apart from its address, which the ticket names.
    package var call: Call
    /// Where the ticket names the address of the request.
    package var url: JSONPointer
    /// Where the ticket contains an object of header fields for the request; nil for none.
    package var headers: JSONPointer?

    /// The defaults of a confirmation, before its keys in the configuration are read.
    package static let start = Confirmation(call: Call(method: "POST"), url: .whole)

    /// The request that a target's ticket asks for; nil if the ticket asks for no confirmation. Throws if the ticket
    /// leads where the target's requests must not go.
    package func request(
      askedForBy ticket: JSONValue?, of target: Target
    ) throws(InvalidInput) -> Call? {
      guard let text = url.text(in: ticket), !text.isEmpty else { return nil }
      var call = call
      let url = try Ticket.address(text, "\(self.url)", from: target.url)
      // A fragment is never sent, and the query would follow it.
      let sent = Substring(url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") })
      call.address = .own(Template(literal: String(sent)))
      // A ticket may leave the header fields out if its server needs none.
      if headers?.value(in: ticket) != nil {
        call.headers = try Ticket.headers(headers, in: ticket)
      }
      return call
    }
  }

  /// Reads an address that a ticket names.
  private static func address(
    _ text: String, _ place: String, from home: URL
  ) throws(InvalidInput) -> URL {
    guard let url = URL(written: text, relativeTo: home)?.absoluteURL, let origin = Origin(url),
      url.user == nil, url.password == nil
    else { throw InvalidInput("the ticket's \(place) is not a URL that files can be sent to") }
    // A ticket that was requested over TLS must not lead to an unencrypted upload.
    guard origin.scheme == "https" || Origin(home)?.scheme == "http" else {
      let shown = Verdict.shown(url.absoluteString) ?? ""
      throw InvalidInput(
        "the ticket leads from https to \(shown), which is not encrypted; perhaps a proxy does not tell the server "
          + "that requests come by https (X-Forwarded-Proto)")
    }
    return url
  }

  private static func headers(
    _ pointer: JSONPointer?, in document: JSONValue?
  ) throws(InvalidInput) -> [Target.Field] {
    // A ticket may list these two since its signature covers them, but hoist always sets them itself.
    let fields = try pairs("header fields", pointer, document)
      .filter { !["host", "content-length"].contains($0.name.lowercased()) }
    for field in fields {
      // Targets cannot set Content-Type, but a ticket may: its signature may cover it. Check the value only.
      let name = field.name.lowercased() == "content-type" ? "X" : field.name
      do throws(InvalidInput) {
        try HeaderRule.check(name: name, value: field.value.fixedText)
      } catch {
        throw InvalidInput("the ticket's header fields cannot be sent: \(error.description)")
      }
    }
    return fields
  }

  private static func pairs(
    _ what: String, _ pointer: JSONPointer?, _ document: JSONValue?
  ) throws(InvalidInput) -> [Target.Field] {
    guard let pointer else { return [] }
    guard case .object(let members) = pointer.value(in: document) else {
      throw InvalidInput("the ticket has no \(what) at \(pointer)")
    }
    return members.sorted { $0.key < $1.key }.map {
      Target.Field(name: $0.key, value: Template(literal: $0.value.text))
    }
  }
}
