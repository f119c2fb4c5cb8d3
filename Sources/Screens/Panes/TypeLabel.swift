import ScalarText

/// A media type in a column, whole or in its short form. Whether long types are whole is for the whole list to say, so
/// that one type does not look like two.
struct TypeLabel {
  private let whole, short, mark: String

  /// The width of the short form without the mark, which does not change it.
  private static let shortWidth = Columns.shortType - 1

  /// `mark` says how far the type can be relied on, and is never cut.
  init(_ mediaType: String, mark: String = "") {
    self.mark = mark
    let subtype = mediaType.split(scalar: "/", maxSplits: 1).last.map { String($0) } ?? mediaType
    let bare = ["x-", "vnd."].reduce(subtype) { name, prefix in
      name.hasPrefix(scalars: prefix)
        ? String(name.unicodeScalars.dropFirst(prefix.utf8.count)) : name
    }
    whole = mediaType
    let name = bare.isEmpty ? subtype : bare
    short =
      name.utf8.count <= Self.shortWidth
      ? name : Self.shortForms[name] ?? Self.lastPart(of: name)
  }

  /// The type with its mark, cut if it does not fit in `width` columns. Even where types are short, one that is not long
  /// stays as it is.
  func glyphs(isWhole: Bool, width: Int, ascii: Bool) -> [Glyph] {
    guard width > 0 else { return [] }
    let room = width - mark.utf8.count
    let isShown = isWhole || whole.utf8.count + mark.utf8.count <= Columns.shortType
    return TextFitting.end(
      Glyphs.of(isShown ? whole : short, ascii: ascii),
      to: isShown ? room : min(room, Self.shortWidth), ascii: ascii)
      + Glyphs.of(mark, ascii: ascii)
  }

  /// The name behind those of a registrant, without the format that it is built on: "kml" of "google-earth.kml+xml".
  private static func lastPart(of name: String) -> String {
    let plain = name.split(scalar: "+").first.map { String($0) } ?? name
    return plain.split(scalar: ".").last.map { String($0) } ?? plain
  }

  /// Common subtypes that are too long, by the endings that people know.
  private static let shortForms = [
    "7z-compressed": "7z", "apple-diskimage": "dmg", "bzip-compressed-tar": "tar.bz2",
    "bzip2-compressed-tar": "tar.bz2", "compressed-tar": "tar.gz",
    "debian.binary-package": "deb", "android.package-archive": "apk", "iso9660-image": "iso",
    "java-archive": "jar", "javascript": "js", "lzma-compressed-tar": "tar.lzma",
    "microsoft.portable-executable": "exe", "ms-powerpoint": "ppt",
    "oasis.opendocument.graphics": "odg", "oasis.opendocument.presentation": "odp",
    "oasis.opendocument.spreadsheet": "ods", "oasis.opendocument.text": "odt",
    "octet-stream": "octets",
    "openxmlformats-officedocument.presentationml.presentation": "pptx",
    "openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "openxmlformats-officedocument.wordprocessingml.document": "docx",
    "portable-anymap": "pnm", "portable-bitmap": "pbm", "portable-graymap": "pgm",
    "portable-pixmap": "ppm", "postscript": "ps", "raw-disk-image": "disk", "shellscript": "shell",
    "tab-separated-values": "tsv", "xz-compressed-tar": "tar.xz", "zstd-compressed-tar": "tar.zst",
  ]
}
