import Foundation

extension NameTable {
  /// The weight of a pattern for which the table gives no weight (shared-mime-info specification, section 2.5).
  static let usualWeight = 50
  /// An estimate from Debian's files.
  private static let bytesPerPattern = 30

  /// Reads the format of `/etc/mime.types`: a type, then its extensions without their first dot; `#` starts a comment.
  /// Invalid lines are skipped.
  public init(title: String, mimeTypes text: String) {
    // This runs at every start, so the bytes are parsed in place.
    let bytes = Array(text.utf8)
    self.init(title: title, text: bytes, expected: bytes.count / Self.bytesPerPattern)
    Self.eachLine(of: bytes) { line in
      let line = line.lowerBound..<Self.end(of: line, in: bytes) { $0 == UInt8(ascii: "#") }
      var type: Range<Int>?
      var start = line.lowerBound
      while true {
        start = Self.end(of: start..<line.upperBound, in: bytes) { !MediaType.isWhitespace($0) }
        let word =
          start..<Self.end(of: start..<line.upperBound, in: bytes, at: MediaType.isWhitespace)
        if word.isEmpty { return }
        if let type {
          add(suffix: word, type: type)
        } else {
          guard bytes[word].contains(UInt8(ascii: "/")) else { return }
          type = word
        }
        start = word.upperBound
      }
    }
  }

  private static func eachLine(of bytes: [UInt8], _ body: (Range<Int>) -> Void) {
    var start = 0
    while start < bytes.count {
      let end = end(of: start..<bytes.count, in: bytes) { $0 == UInt8(ascii: "\n") }
      body(start..<end)
      start = end + 1
    }
  }

  /// The position of the first byte of a kind, or the end of the range.
  private static func end(
    of range: Range<Int>, in bytes: [UInt8], at isEnd: (UInt8) -> Bool
  ) -> Int {
    var index = range.lowerBound
    while index < range.upperBound, !isEnd(bytes[index]) { index += 1 }
    return index
  }

  /// Reads the format of shared-mime-info's `globs2`: `weight:type:glob[:flags]`, where the only known flag is `cs` for
  /// case-sensitive. Invalid lines are skipped.
  public init(title: String, globs2 text: String) {
    let bytes = Array(text.utf8)
    self.init(title: title, text: bytes, expected: bytes.count / Self.bytesPerPattern)
    Self.eachLine(of: bytes) { line in
      func column(from start: Int) -> Range<Int> {
        let start = min(start, line.upperBound)
        return start..<Self.end(of: start..<line.upperBound, in: bytes) { $0 == UInt8(ascii: ":") }
      }
      let number = column(from: line.lowerBound)
      let type = column(from: number.upperBound + 1)
      let glob = column(from: type.upperBound + 1)
      guard !glob.isEmpty, bytes[line.lowerBound] != UInt8(ascii: "#"),
        let weight = Int(String(decoding: bytes[number], as: UTF8.self)),
        !bytes[glob].elementsEqual("__NOGLOBS__".utf8)
      else { return }
      let isCaseSensitive = bytes[glob.upperBound..<line.upperBound]
        .split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ",") }
        .contains { $0.elementsEqual("cs".utf8) }
      let suffix = bytes[glob].dropFirst(2)
      if bytes[glob].starts(with: "*.".utf8), !suffix.contains(where: Self.isWildcard) {
        add(suffix: suffix.indices, type: type, weight: weight, isCaseSensitive: isCaseSensitive)
      } else if let type = MediaType(String(decoding: bytes[type], as: UTF8.self)) {
        add(
          pattern: String(decoding: bytes[glob], as: UTF8.self), type: type, weight: weight,
          isCaseSensitive: isCaseSensitive)
      }
    }
  }

  /// The tables of this machine, in order of precedence: the user's own `mime.types`, the common meanings, the
  /// machine's `mime.types`, then shared-mime-info from each XDG data folder. Files that are missing or cannot be read
  /// are skipped.
  /// - Parameter environment: `HOME`, `XDG_DATA_HOME` and `XDG_DATA_DIRS` are used (XDG Base Directory Specification).
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
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) }
  }
}
