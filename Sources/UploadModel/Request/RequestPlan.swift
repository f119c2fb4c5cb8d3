import Foundation
import MultipartForm

/// A request that uploads files: its head and its content, in which every secret is marked.
///
/// The request itself, `--dry-run`, the details of a file and the curl command are all rendered from a
/// plan, so that they cannot contradict each other.
package struct RequestPlan: Hashable, Sendable {
  /// A file in the request: an item's own, or one that goes with it.
  package struct File: Hashable, Sendable {
    /// The item that the file belongs to.
    package let owner: ItemID
    /// Whether it is a companion, which goes with the item's own file.
    package let isCompanion: Bool
    package let location: FileLocation
    /// The file as it was found; nil if it could not be read then.
    package let identity: FileIdentity?
    package let size: Int64
    /// The name to give the server.
    package let name: String
    package let type: String

    /// An item's own file. Its name and type are those of the item if they are nil.
    package init(_ item: UploadItem, name: String? = nil, type: String? = nil) {
      (owner, isCompanion) = (item.id, false)
      (location, identity, size) = (item.location, item.identity, item.size)
      (self.name, self.type) = (name ?? item.fileName, type ?? item.mediaType)
    }

    init(_ companion: Companion, of owner: ItemID) {
      (self.owner, isCompanion) = (owner, true)
      (location, identity) = (companion.location, companion.identity)
      (size, name) = (companion.identity.size, companion.location.name)
      type = companion.rule.type
    }

    /// Why the owner cannot be sent, given this file's error. `wasSeen` says whether the file could be read before.
    package func cause(of error: FileError, wasSeen: Bool) -> Failure.Cause {
      isCompanion ? Companion.cause(of: error) : Failure.Cause(error, wasSeen: wasSeen)
    }
  }

  /// A part of a form.
  package struct Part: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      /// A text, and its media type; nil if none is sent.
      case text(RequestHead.Text, type: String?)
      case file(File)
    }

    /// The form field.
    package var name: String
    package var value: Value

    /// The file that the part carries; nil if the part is a field of the form.
    package var file: File? { if case .file(let file) = value { file } else { nil } }

    /// The media type; nil if none is sent.
    package var type: String? {
      switch value {
      case .text(_, let type): type
      case .file(let file): file.type
      }
    }
  }

  /// What the request carries.
  package enum Content: Hashable, Sendable {
    /// A form (RFC 7578). The encoder adds the `Content-Type`, since it names the boundary.
    case form([Part])
    case file(File)
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

  /// The files in the request, in order.
  package var files: [File] {
    switch content {
    case .form(let parts): parts.compactMap(\.file)
    case .file(let file): [file]
    }
  }

  /// The items' own files as they are described to the server, in order.
  package var sentFiles: [SentFile] {
    // A bare file has the type of the request.
    let type = if case .file = content { head.shown("Content-Type") } else { String?.none }
    return files.filter { !$0.isCompanion }.map {
      SentFile(name: $0.name, mediaType: type ?? $0.type, size: $0.size)
    }
  }

  /// The request that uploads `items` (at least one) together. `values` are the placeholder values for the first file.
  package init(
    _ items: [UploadItem], with companions: [ItemID: [Companion]] = [:], to plan: SendPlan,
    on occasion: Occasion = Occasion(), at destination: Destination,
    credentials: RequestHead.Credentials, _ values: Template.Values
  ) throws(Failure.Cause) {
    guard let first = items.first else { throw .unsendable("there is no file") }
    let now = values.now
    let address: RequestHead.Text? =
      switch destination {
      case .target: plan.address(with: values)
      case .ticket: nil
      case .other(let url): [.text(url.absoluteString)]
      }
    var head = RequestHead(method: plan.target.method, address: address, accept: "*/*")
    try head.add(credentials, of: plan, on: occasion, values)
    if occasion.keepsOthers {
      head.set("If-None-Match", "*")
    } else if items.contains(where: { $0.record.ifThere == .replace }) {
      head.remove("If-None-Match")
    }
    if let asks = plan.target.response.sum?.request, !head.has(asks.name) {
      head.set(asks.name, asks.value)
    }
    var parts: [Part] = []
    for field in occasion.fields.map(SendPlan.FormField.init) + plan.fields {
      parts.append(try field.part(with: values))
    }
    switch plan.target.body {
    case .multipart:
      head.remove("Content-Type")
      // Companions go before the files, so that a file's bar is full only when the last byte of the request leaves.
      for (position, item) in items.enumerated() {
        for companion in companions[item.id] ?? [] {
          let field = plan.target.sentField(
            of: companion, with: item, on: occasion, at: position, now: now)
          parts.append(Part(name: field, value: .file(File(companion, of: item.id))))
        }
      }
      for (position, item) in items.enumerated() {
        let file = File(
          item, name: plan.target.sentName(of: item, on: occasion, at: position, now: now),
          type: plan.target.sentType(of: item))
        let field = plan.target.sentField(of: item, on: occasion, at: position, now: now)
        parts.append(Part(name: field, value: .file(file)))
      }
      content = .form(parts)
    case .binary:
      // A ticket's signature may cover a different type.
      if !head.has("Content-Type") { head.set("Content-Type", plan.target.sentType(of: first)) }
      content = .file(File(first))
    }
    self.head = head
  }
}
