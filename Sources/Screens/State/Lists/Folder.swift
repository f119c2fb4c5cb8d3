/// A folder as whoever reads the disk found it.
public struct Folder: Sendable, Hashable {
  /// Something that lies in a folder.
  public struct Entry: Sendable, Hashable {
    /// Its name, for people.
    public var name: String
    /// Its whole path, byte for byte: not every name is text.
    public var path: [UInt8]
    /// Whether it is a folder itself, or leads to one.
    public var isFolder: Bool
    /// Its size in bytes; 0 for folders.
    public var size: Int64

    /// An entry of a folder.
    public init(name: String, path: [UInt8], isFolder: Bool, size: Int64) {
      self.name = name
      self.path = path
      self.isFolder = isFolder
      self.size = size
    }
  }

  /// Its path, byte for byte.
  public var path: [UInt8]
  /// Its path, for people.
  public var name: String
  /// The folder above; `nil` where there is none.
  public var parent: [UInt8]?
  /// What lies in it.
  public var entries: [Entry]
  /// Why it could not be read, in words for a person.
  public var failure: String?

  /// A folder; its entries are put in order here: folders first, then by name.
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
