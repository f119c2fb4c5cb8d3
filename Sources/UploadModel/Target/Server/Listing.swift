import JSONText

extension ServerSide {
  /// How entries are listed.
  package struct Listing: Hashable, Sendable {
    /// The request for the first page.
    package var call: Call
    /// Where the array of entries is in the reply.
    package var items: JSONPointer
    /// Where an entry contains its identifier.
    package var id: JSONPointer
    /// Where an entry contains its name.
    package var title: JSONPointer
    /// Where an entry contains its size in bytes; nil if it does not.
    package var size: JSONPointer?
    /// Where an entry says when it was stored; nil if it does not.
    package var time: Column?
    /// Where an entry contains its address; nil if it does not.
    package var location: JSONPointer?
    /// How further pages are requested; nil if there is only one page.
    package var next: NextPage?
    /// Where a reply says how many entries there are in all; nil if no reply does.
    package var total: ReplyValue?
    /// What `hoist ls` prints for an entry. If empty, it prints the identifier and the title.
    package var columns: [Column] = []

    package init(call: Call, items: JSONPointer, id: JSONPointer, title: JSONPointer) {
      self.call = call
      self.items = items
      self.id = id
      self.title = title
    }

    /// The entries that a reply lists.
    package func entries(in document: JSONValue) throws(InvalidInput) -> [ServerEntry] {
      guard case .array(let values)? = items.value(in: document) else {
        throw InvalidInput(
          items.tokens.isEmpty ? "its answer is not a list" : "its answer has no list at \(items)")
      }
      return try values.enumerated().map { index, value throws(InvalidInput) in
        guard let id = id.value(in: value) else {
          throw InvalidInput("entry \(index) of its list has no \(self.id)")
        }
        let title = title.value(in: value)?.text ?? ""
        var entry = ServerEntry(id: id.text, name: title.isEmpty ? id.text : title, value: value)
        entry.size = size?.value(in: value).flatMap { Int64($0.text) }
        entry.time = time?.text(in: value)
        entry.url = location?.value(in: value)?.text
        return entry
      }
    }

    /// What is printed for an entry.
    package func columns(of entry: ServerEntry) -> [String] {
      columns.isEmpty ? [entry.id, entry.name] : columns.map { $0.text(in: entry.value) ?? "" }
    }
  }
}
