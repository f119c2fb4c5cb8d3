import Foundation

extension NameTable {
  /// Weight of a pattern that states none (shared-mime-info specification, section 2.5).
  private static let usualWeight = 50

  /// Reads the format of `/etc/mime.types`: a type, then its extensions without their first dot; `#`
  /// starts a comment. Lines that make no sense are left out.
  public init(title: String, mimeTypes text: String) {
    self.init(title: title)
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }
        .split { $0 == 0x20 || (0x09...0x0D).contains($0) }
        .map { String(decoding: $0, as: UTF8.self) }
      guard let first = words.first, words.count > 1, let type = MediaType(first) else { continue }
      for word in words.dropFirst() {
        add(pattern: "*.\(word)", type: type, weight: Self.usualWeight, isCaseSensitive: false)
      }
    }
  }

  /// Reads the format of shared-mime-info's `globs2`: `weight:type:glob[:flags]`, where the only known
  /// flag is `cs` for case-sensitive. Lines that make no sense are left out.
  public init(title: String, globs2 text: String) {
    self.init(title: title)
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#")
    {
      let columns = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard columns.count >= 3, let weight = Int(columns[0]), let type = MediaType(columns[1]),
        !columns[2].isEmpty, columns[2] != "__NOGLOBS__"
      else { continue }
      let flags = columns.dropFirst(3).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
      add(
        pattern: columns[2], type: type, weight: weight,
        isCaseSensitive: flags.contains { $0.elementsEqual("cs".utf8) })
    }
  }

  /// The tables that are installed here, in order of precedence: the person's own `mime.types`, the
  /// machine's, then shared-mime-info along the XDG data folders. What is missing or can not be read is
  /// left out.
  /// - Parameter environment: `HOME`, `XDG_DATA_HOME` and `XDG_DATA_DIRS` are looked at (XDG Base
  ///   Directory Specification).
  public static func ofThisMachine(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> [NameTable] {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("HOME")
    var tables: [NameTable] = []
    for path in [home.map { "\($0)/.mime.types" }, "/etc/mime.types"] {
      guard let path, let text = contents(of: path) else { continue }
      tables.append(
        NameTable(
          title: path == "/etc/mime.types" ? "mime.types" : "~/.mime.types", mimeTypes: text))
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
