/// A folder as it was read from the disk.
package struct Folder: Sendable, Hashable {
  /// Something in a folder.
  package struct Entry: Sendable, Hashable {
    /// Its name, for people.
    package var name: String
    /// Its whole path, byte for byte: not every name is text.
    package var path: [UInt8]
    /// Whether it is a folder itself, or leads to one.
    package var isFolder: Bool
    /// Its size in bytes; 0 for folders.
    package var size: Int64
    /// What else it is, in a word: "link", "FIFO"; empty for plain files and folders.
    package var kind: String
    /// Whether it can be uploaded, or holds what can: a FIFO cannot.
    package var isSendable: Bool
    /// Whether it was sent to the target before, as it is now.
    package var wasSent = false
    /// When it was last written to, in seconds since 1970.
    package var modified: Double
    /// The same, for people: "2026-11-20 22:15".
    package var time: String

    /// An entry of a folder.
    package init(
      name: String, path: [UInt8], isFolder: Bool, size: Int64, kind: String = "",
      isSendable: Bool = true, modified: Double = 0, time: String = ""
    ) {
      self.name = name
      self.path = path
      self.isFolder = isFolder
      self.size = size
      self.kind = kind
      self.isSendable = isSendable
      self.modified = modified
      self.time = time
    }
  }

  /// Its path, byte for byte.
  package var path: [UInt8]
  /// Its path, for people.
  package var name: String
  /// The parent folder; `nil` if there is none.
  package var parent: [UInt8]?
  /// What is in it.
  package var entries: [Entry]
  /// Why it could not be read, in words for a person.
  package var failure: String?

  /// A folder. It sorts its entries: folders first, then by name.
  package init(
    path: [UInt8], name: String, parent: [UInt8]? = nil, entries: [Entry] = [],
    failure: String? = nil
  ) {
    self.path = path
    self.name = name
    self.parent = parent
    self.entries = entries.sorted {
      $0.isFolder != $1.isFolder ? $0.isFolder : $0.name < $1.name
    }
    self.failure = failure
  }
}
