import Foundation

/// A request that uploads files: its head and its content, in which every secret is marked.
///
/// The request itself, `--dry-run`, the details of a file and the curl command are all rendered from a
/// plan, so that they cannot contradict each other.
package struct RequestPlan: Hashable, Sendable {
  /// A part of a form.
  package struct Part: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case text(RequestHead.Text)
      /// A file, and the name to give the server.
      case file(UploadItem, name: String)
      /// A file that goes with one of the uploaded files.
      case companion(Companion, of: ItemID)
    }

    /// The form field.
    package var name: String
    package var value: Value
    /// The media type; nil if none is sent.
    package var type: String?

    /// The file that the part belongs to; nil if the part is a field of the form.
    package var item: ItemID? {
      switch value {
      case .text: nil
      case .file(let item, name: _): item.id
      case .companion(_, let item): item
      }
    }
  }

  /// What the request carries.
  package enum Content: Hashable, Sendable {
    /// A form (RFC 7578). The encoder adds the `Content-Type`, since it names the boundary.
    case form([Part])
    case file(UploadItem)
  }

  package enum Destination: Hashable, Sendable {
    /// To the target's own address.
    case target
    /// To an address that a ticket will name.
    case ticket
    /// To an address that a ticket or a redirect has named.
    case other(URL)
  }

  package let head: RequestHead
  package let content: Content

  /// The parts of the form; empty if the request carries a bare file.
  package var parts: [Part] { if case .form(let parts) = content { parts } else { [] } }

  /// The companions in the request, in order, each with the file that it goes with.
  package var companions: [(file: Companion, item: ItemID)] {
    parts.compactMap { part in
      if case .companion(let file, of: let item) = part.value { (file, item) } else { nil }
    }
  }

  /// The files in the request as they are described to the server, in order.
  package var files: [SentFile] {
    switch content {
    case .form(let parts):
      parts.compactMap { part in
        guard case .file(let item, let name) = part.value else { return nil }
        return SentFile(name: name, mediaType: part.type ?? item.mediaType, size: item.size)
      }
    case .file(let item):
      [
        SentFile(
          name: item.fileName, mediaType: head.shown("Content-Type") ?? item.mediaType,
          size: item.size)
      ]
    }
  }

  /// The request that uploads `items` (at least one) together. `values` are the placeholder values for the first file.
  package init(
    _ items: [UploadItem], with companions: [ItemID: [Companion]] = [:], to target: Target,
    on occasion: Occasion = Occasion(), at destination: Destination,
    credentials: RequestHead.Credentials, _ values: Template.Values
  ) throws(Failure.Cause) {
    guard let first = items.first else { throw .unsendable("there is no file") }
    let now = values.now
    let address: RequestHead.Text? =
      switch destination {
      case .target: target.addressStretches(with: values)
      case .ticket: nil
      case .other(let url): [.text(url.absoluteString)]
      }
    var head = RequestHead(method: target.method, address: address, accept: "*/*")
    try head.add(credentials, of: target, on: occasion, values)
    if let asks = target.response.sum?.request, !head.has(asks.name) {
      head.set(asks.name, asks.value)
    }
    let fields = occasion.fields + target.fields
    for field in fields {
      if let obstacle = field.value.obstacle(with: values) {
        throw .unsendable("the field \(field.name) cannot be filled in: \(obstacle)")
      }
    }
    switch target.body {
    case .multipart:
      head.remove("Content-Type")
      content = .form(
        fields.map { field in
          let value = field.value.stretches(with: values)
          return Part(name: field.name, value: .text(value), type: field.type)
        }
          // Companions go before the files, so that a file's bar is full only when the last byte of the request leaves.
          + items.enumerated().flatMap { position, item in
            (companions[item.id] ?? []).map { companion in
              Part(
                name: target.sentField(
                  of: companion, with: item, on: occasion, at: position, now: now),
                value: .companion(companion, of: item.id), type: companion.rule.type)
            }
          }
          + items.enumerated().map { position, item in
            Part(
              name: target.sentField(of: item, on: occasion, at: position, now: now),
              value: .file(
                item, name: target.sentName(of: item, on: occasion, at: position, now: now)),
              type: target.sentType(of: item))
          })
    case .binary:
      // A ticket's signature may cover a different type.
      if !head.has("Content-Type") { head.set("Content-Type", target.sentType(of: first)) }
      content = .file(first)
    }
    self.head = head
  }
}
