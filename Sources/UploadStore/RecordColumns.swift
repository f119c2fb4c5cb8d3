import MultipartForm
import UploadModel

/// The columns in which a record is stored, wherever it is stored.
enum RecordColumns {
  /// The columns, in the order of `add` and `record`.
  static let names = [
    "uuid", "target", "path", "folder", "name", "name_is_chosen", "field", "type", "type_source",
    "type_is_certain", "content_type", "clash", "if_there", "remnant", "path_key",
  ]

  static let list = names.joined(separator: ", ")

  /// The columns in a statement that makes a table. `name` is NULL if it is the last component of the path.
  static let definitions = """
    uuid BLOB NOT NULL CHECK (length(uuid) = 16),
    target TEXT NOT NULL,
    path BLOB NOT NULL CHECK (length(path) > 0),
    folder TEXT NOT NULL,
    name TEXT,
    name_is_chosen INTEGER NOT NULL CHECK (name_is_chosen IN (0, 1)),
    field TEXT,
    type TEXT NOT NULL,
    type_source TEXT NOT NULL,
    type_is_certain INTEGER NOT NULL CHECK (type_is_certain IN (0, 1)),
    content_type TEXT,
    clash TEXT,
    if_there TEXT,
    remnant INTEGER NOT NULL CHECK (remnant IN (0, 1)),
    path_key INTEGER NOT NULL
    """

  static func add(_ record: ItemRecord, to row: inout Parameters) {
    let isPlain = record.fileName.utf8.elementsEqual(record.location.name.utf8)
    row.add(record.uuid)
    row.add(record.target)
    row.add(record.location.bytes)
    row.add(record.folder)
    row.add(isPlain ? nil : record.fileName)
    row.add(record.nameIsChosen)
    row.add(record.field)
    row.add(record.mediaType)
    row.add(record.typeSource)
    row.add(record.typeIsCertain)
    row.add(record.contentType)
    row.add(record.clash?.rawValue)
    row.add(record.ifThere?.rawValue)
    row.add(record.mayHaveLeftRemnant)
    row.add(key(of: record.location))
  }

  /// A hash of a path by which it is found. Paths in the same folder have close keys, so writing many files changes a
  /// few pages of the index rather than one page per file.
  static func key(of location: FileLocation) -> Int64 {
    let bytes = location.bytes
    let name = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    return Int64(hash(bytes[..<name])) << 32 | Int64(hash(bytes[name...]))
  }

  /// The hash is stored, so it must be the same in each process (FNV-1a).
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  /// The record in a row; `first` is the position of its first column.
  static func record(_ row: Row, from first: Int32) -> ItemRecord {
    var record = ItemRecord(
      uuid: row[first], target: row[first + 1], location: FileLocation(bytes: row[first + 2]),
      fileName: row[first + 4], field: row[first + 6], mediaType: row[first + 7],
      typeSource: row[first + 8], typeIsCertain: row[first + 9])
    record.folder = row[first + 3]
    record.nameIsChosen = row[first + 5]
    record.contentType = row[first + 10]
    record.clash = (row[first + 11] as String?).flatMap(Clash.init)
    record.ifThere = (row[first + 12] as String?).flatMap(IfThere.init)
    record.mayHaveLeftRemnant = row[first + 13]
    return record
  }
}
