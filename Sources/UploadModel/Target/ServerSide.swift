import Foundation
import JSONText

/// The requests for what is on a target's server already.
public struct ServerSide: Hashable, Sendable {
  /// Shows the entries.
  public var list: Listing?
  /// Deletes one, `{id}`.
  public var delete: ServerCall?
  /// Sent after each upload.
  public var create: ServerCall?

  /// Nothing, unless said otherwise.
  public init(list: Listing? = nil, delete: ServerCall? = nil, create: ServerCall? = nil) {
    self.list = list
    self.delete = delete
    self.create = create
  }

  /// How entries are listed.
  public struct Listing: Hashable, Sendable {
    /// The request.
    public var call: ServerCall
    /// The array of entries in the reply.
    public var items: JSONPointer
    /// An entry's identifier, in the entry.
    public var id: JSONPointer
    /// What an entry is called, in the entry.
    public var title: JSONPointer
    /// Its size in bytes, in the entry; nil where it has none.
    public var size: JSONPointer?
    /// When it was stored, in the entry; nil where that is not said.
    public var time: JSONPointer?
    /// Where it can be found, in the entry; nil where that is not said.
    public var location: JSONPointer?

    /// A way to list entries.
    public init(call: ServerCall, items: JSONPointer, id: JSONPointer, title: JSONPointer) {
      self.call = call
      self.items = items
      self.id = id
      self.title = title
    }

    /// The entries that a reply lists.
    ///
    /// - Throws: what is wrong with the reply.
    public func entries(in document: JSONValue) throws(ServerEntry.ListingError) -> [ServerEntry] {
      guard case .array(let values)? = items.value(in: document) else {
        throw ServerEntry.ListingError(
          description: items.tokens.isEmpty
            ? "its answer is not a list" : "its answer has no list at \(items)")
      }
      var entries: [ServerEntry] = []
      for (index, value) in values.enumerated() {
        guard let id = id.value(in: value) else {
          throw ServerEntry.ListingError(
            description: "entry \(index) of its list has no \(self.id)")
        }
        var entry = ServerEntry(id: id.text, title: text(title, in: value) ?? "", value: value)
        entry.size = text(size, in: value).flatMap { Int64($0) }
        entry.time = text(time, in: value)
        entry.url = text(location, in: value)
        entries.append(entry)
      }
      return entries
    }

    private func text(_ pointer: JSONPointer?, in value: JSONValue) -> String? {
      pointer?.value(in: value)?.text
    }
  }
}
