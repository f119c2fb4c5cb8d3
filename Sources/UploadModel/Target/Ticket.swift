import Foundation
import JSONText

/// A request whose reply tells where to upload and with which fields (presigned POST).
public struct Ticket: Hashable, Sendable {
  /// The request.
  public var call: ServerCall
  /// Where its reply holds the URL that takes the file.
  public var uploadURL: JSONPointer
  /// Where its reply holds an object of form fields; nil for none.
  public var fields: JSONPointer?

  /// A way to get a ticket.
  public init(call: ServerCall, uploadURL: JSONPointer, fields: JSONPointer? = nil) {
    self.call = call
    self.uploadURL = uploadURL
    self.fields = fields
  }

  /// What a ticket allows.
  public struct Grant: Hashable, Sendable {
    /// Where the file goes.
    public var url: URL
    /// Form fields that go before all others.
    public var fields: [Target.Field]

    /// A grant.
    public init(url: URL, fields: [Target.Field]) {
      self.url = url
      self.fields = fields
    }
  }

  /// Why a reply is no ticket.
  public struct ReplyError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
  }

  /// What a reply to the call at `address` allows.
  ///
  /// - Throws: `ReplyError` if the reply is no ticket, or leads where the file must not go.
  public func grant(
    in document: JSONValue, from address: URL, redirects: Set<Origin>
  ) throws(ReplyError) -> Grant {
    guard case .string(let text)? = uploadURL.value(in: document) else {
      throw ReplyError(description: "the ticket has no \(uploadURL)")
    }
    guard let url = URL(string: text, relativeTo: address)?.absoluteURL, let origin = Origin(url),
      url.user == nil, url.password == nil
    else { throw ReplyError(description: "the ticket's \(uploadURL) is no address to send to") }
    // A ticket that was requested over TLS must not lead to an unencrypted upload.
    guard
      origin.scheme == "https" || Origin(address)?.scheme == "http" || redirects.contains(origin)
    else {
      throw ReplyError(
        description: "the ticket leads from https to \(origin), which is not encrypted; list it in "
          + "redirect_to if that is meant")
    }
    guard let pointer = fields else { return Grant(url: url, fields: []) }
    guard case .object(let members)? = pointer.value(in: document) else {
      throw ReplyError(description: "the ticket has no fields at \(pointer)")
    }
    return Grant(
      url: url,
      fields: members.sorted { $0.key < $1.key }.map {
        Target.Field(name: $0.key, value: Template(literal: $0.value.text))
      })
  }
}
