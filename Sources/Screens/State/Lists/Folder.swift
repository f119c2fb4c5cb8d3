/// A folder as read from the disk.
package struct Folder: Sendable, Hashable {
  package struct Entry: Sendable, Hashable {
    /// Its name, for people.
    package var name: String
    /// Its whole path, byte for byte: not every name is text.
    package var path: [UInt8]
    /// Whether it is a folder, or a link to one.
    package var isFolder: Bool
    /// Its size in bytes; 0 for folders.
    package var size: Int64
    /// Its kind, or why it cannot be sent, in a word: "link", "no file", "broken", "no access"; empty for plain files
    /// and folders.
    package var kind: String
    /// The media type that its name stands for; `nil` if the name tells nothing.
    package var mediaType: String?
    /// Whether it or its contents can be uploaded: a FIFO cannot.
    package var isSendable: Bool
    /// Whether it has been sent to the target in its current state.
    package var wasSent = false
    /// When it was last written to, in seconds since 1970.
    package var modified: Double
    /// When it was last written to, for people: "2026-11-20 22:15".
    package var time: String

    package init(
      name: String, path: [UInt8], isFolder: Bool, size: Int64, kind: String = "",
      mediaType: String? = nil, isSendable: Bool = true, modified: Double = 0, time: String = ""
    ) {
      self.name = name
      self.path = path
      self.isFolder = isFolder
      self.size = size
      self.kind = kind
      self.mediaType = mediaType
      self.isSendable = isSendable
      self.modified = modified
      self.time = time
    }
  }

  /// Its path, byte for byte.
  package var path: [UInt8]
  /// Its path, for people.
  package var name: String
  /// The path of the parent folder; `nil` if it has no parent.
  package var parent: [UInt8]?
  package var entries: [Entry]
  /// Why it could not be read, for people; `nil` if it could.
  package var failure: String?

  /// A folder with its entries sorted: folders first, then by name.
  package init(
    path: [UInt8], name: String, parent: [UInt8]? = nil, entries: [Entry] = [],
    failure: String? = nil
  ) {
    self.path = path
    self.name = name
    self.parent = parent
    self.entries = entries.sorted(by: Browser.Order.name.precedes)
    self.failure = failure
  }
}
