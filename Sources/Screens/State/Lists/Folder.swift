/// A folder as it was read from the disk.
public struct Folder: Sendable, Hashable {
  /// Something in a folder.
  public struct Entry: Sendable, Hashable {
    /// Its name, for people.
    public var name: String
    /// Its whole path, byte for byte: not every name is text.
    public var path: [UInt8]
    /// Whether it is a folder itself, or leads to one.
    public var isFolder: Bool
    /// Its size in bytes; 0 for folders.
    public var size: Int64
    /// What else it is, in a word: "link", "FIFO"; empty for plain files and folders.
    public var kind: String
    /// Whether it can be uploaded, or holds what can: a FIFO cannot.
    public var isSendable: Bool
    /// When it was last written to, in seconds since 1970.
    public var modified: Double
    /// The same, for people: "2026-11-20 22:15".
    public var time: String

    /// An entry of a folder.
    public init(
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
  public var path: [UInt8]
  /// Its path, for people.
  public var name: String
  /// The parent folder; `nil` if there is none.
  public var parent: [UInt8]?
  /// What is in it.
  public var entries: [Entry]
  /// Why it could not be read, in words for a person.
  public var failure: String?

  /// A folder. It sorts its entries: folders first, then by name.
  public init(
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
