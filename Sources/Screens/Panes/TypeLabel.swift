import ScalarText

/// A media type in a narrow column: the whole type if it fits, or else a short form.
struct TypeLabel {
  /// From the fullest to the shortest.
  private let forms: [String]
  private let mark: String

  /// `mark` says how far the type can be relied on, and is never cut.
  init(_ mediaType: String, mark: String = "") {
    self.mark = mark
    let subtype = mediaType.split(scalar: "/", maxSplits: 1).last.map { String($0) } ?? mediaType
    let bare = ["x-", "vnd."].reduce(subtype) { name, prefix in
      name.hasPrefix(scalars: prefix)
        ? String(name.unicodeScalars.dropFirst(prefix.utf8.count)) : name
    }
    let shortest = Self.short[bare] ?? Self.lastPart(of: bare)
    forms = [mediaType, bare, shortest]
  }

  /// The fullest form that fits in `width` columns with the mark; the shortest one, cut, if none does.
  func fitting(_ width: Int, ascii: Bool) -> [Glyph] {
    guard width > 0 else { return [] }
    let room = width - mark.utf8.count
    let all = forms.map { Glyphs.of($0, ascii: ascii) }
    let best = all.first { Glyphs.width($0) <= room } ?? all.last ?? []
    return TextFitting.end(best, to: room, ascii: ascii) + Glyphs.of(mark, ascii: ascii)
  }

  /// The name behind those of a registrant, without the format that it is built on: "kml" of "google-earth.kml+xml".
  private static func lastPart(of name: String) -> String {
    let plain = name.split(scalar: "+").first.map { String($0) } ?? name
    return plain.split(scalar: ".").last.map { String($0) } ?? plain
  }

  /// Common subtypes that do not fit in ten columns, by the endings that people know.
  private static let short = [
    "7z-compressed": "7z", "apple-diskimage": "dmg", "bzip-compressed-tar": "tar.bz2",
    "bzip2-compressed-tar": "tar.bz2", "compressed-tar": "tar.gz",
    "debian.binary-package": "deb", "android.package-archive": "apk", "iso9660-image": "iso",
    "java-archive": "jar", "lzma-compressed-tar": "tar.lzma",
    "microsoft.portable-executable": "exe", "ms-powerpoint": "ppt",
    "oasis.opendocument.graphics": "odg", "oasis.opendocument.presentation": "odp",
    "oasis.opendocument.spreadsheet": "ods", "oasis.opendocument.text": "odt",
    "octet-stream": "octets",
    "openxmlformats-officedocument.presentationml.presentation": "pptx",
    "openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "openxmlformats-officedocument.wordprocessingml.document": "docx",
    "portable-anymap": "pnm", "portable-bitmap": "pbm", "portable-graymap": "pgm",
    "portable-pixmap": "ppm", "raw-disk-image": "disk", "shellscript": "shell",
    "tab-separated-values": "tsv", "xz-compressed-tar": "tar.xz", "zstd-compressed-tar": "tar.zst",
  ]
}
