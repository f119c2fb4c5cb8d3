import Foundation

extension NameTable {
  /// Weight of a pattern that states none (shared-mime-info specification, section 2.5).
  static let usualWeight = 50
  /// Of a table's file, as Debian's are.
  private static let bytesPerPattern = 30

  /// Reads the format of `/etc/mime.types`: a type, then its extensions without their first dot; `#`
  /// starts a comment. Lines that make no sense are left out.
  public init(title: String, mimeTypes text: String) {
    // Read at every start, so the bytes are looked at in place.
    let bytes = Array(text.utf8)
    self.init(title: title, text: bytes, expected: bytes.count / Self.bytesPerPattern)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      var words = Words(line.prefix { $0 != UInt8(ascii: "#") })
      guard let type = words.next(), type.contains(UInt8(ascii: "/")) else { continue }
      while let suffix = words.next() { add(suffix: suffix.indices, type: type.indices) }
    }
  }

  /// What lies between white space, one after the other.
  private struct Words {
    private var rest: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) { rest = line }

    mutating func next() -> ArraySlice<UInt8>? {
      rest = rest.drop(while: Self.isBlank)
      let word = rest.prefix { !Self.isBlank($0) }
      rest = rest[word.endIndex...]
      return word.isEmpty ? nil : word
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
      byte == 0x20 || (0x09...0x0D).contains(byte)
    }
  }

  /// Reads the format of shared-mime-info's `globs2`: `weight:type:glob[:flags]`, where the only known
  /// flag is `cs` for case-sensitive. Lines that make no sense are left out.
  public init(title: String, globs2 text: String) {
    let bytes = Array(text.utf8)
    self.init(title: title, text: bytes, expected: bytes.count / Self.bytesPerPattern)
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let columns = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard columns.count >= 3, let weight = Int(String(decoding: columns[0], as: UTF8.self)),
        !columns[2].isEmpty, !columns[2].elementsEqual("__NOGLOBS__".utf8)
      else { continue }
      let isCaseSensitive = columns.dropFirst(3).contains { flags in
        flags.split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual("cs".utf8) }
      }
      let suffix = columns[2].dropFirst(2)
      if columns[2].starts(with: "*.".utf8), !suffix.contains(where: Self.isWildcard) {
        add(
          suffix: suffix.indices, type: columns[1].indices, weight: weight,
          isCaseSensitive: isCaseSensitive)
      } else if let type = MediaType(String(decoding: columns[1], as: UTF8.self)) {
        add(
          pattern: String(decoding: columns[2], as: UTF8.self), type: type, weight: weight,
          isCaseSensitive: isCaseSensitive)
      }
    }
  }

  /// The tables that hold here, in order of precedence: the person's own `mime.types`, the common meanings, the
  /// machine's `mime.types`, then shared-mime-info along the XDG data folders. What is missing or cannot be read is
  /// left out.
  /// - Parameter environment: `HOME`, `XDG_DATA_HOME` and `XDG_DATA_DIRS` are looked at (XDG Base
  ///   Directory Specification).
  public static func ofThisMachine(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [NameTable] {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("HOME")
    var tables: [NameTable] = []
    if let home, let text = contents(of: "\(home)/.mime.types") {
      tables.append(NameTable(title: "~/.mime.types", mimeTypes: text))
    }
    tables.append(.commonMeanings)
    if let text = contents(of: "/etc/mime.types") {
      tables.append(NameTable(title: "mime.types", mimeTypes: text))
    }
    let dataHome = value("XDG_DATA_HOME") ?? home.map { "\($0)/.local/share" }
    let dataFolders =
      [dataHome].compactMap(\.self)
      + (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").utf8
      .split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
    for folder in dataFolders {
      guard let text = contents(of: "\(folder)/mime/globs2") else { continue }
      tables.append(NameTable(title: "shared-mime-info", globs2: text))
    }
    return tables
  }

  private static func contents(of path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
