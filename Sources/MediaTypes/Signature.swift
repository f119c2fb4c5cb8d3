/// The first bytes of a format. Only formats with unmistakable first bytes are listed: they decide whether a name can
/// be right, not what a file is.
struct Signature: Sendable {
  /// The type of files with this signature.
  let type: String
  /// The offset of the bytes in the file.
  var offset = 0
  /// The bytes; nil for one that may have any value.
  let bytes: [UInt8?]
  /// Other types whose files start with these bytes. One that ends in `*` means all types with that prefix.
  var others: [String] = []

  /// How many bytes of a file are enough for all signatures.
  static let longest = 264

  /// Whether a file with these first bytes has the signature.
  func matches(_ head: some Collection<UInt8>) -> Bool {
    guard head.count >= offset + bytes.count else { return false }
    return zip(head.dropFirst(offset), bytes).allSatisfy { $1 == nil || $0 == $1 }
  }

  /// Whether files of a type may start with these bytes.
  func belongs(to type: MediaType) -> Bool {
    let text = type.description
    return text == self.type
      || others.contains { other in
        other.utf8.last == UInt8(ascii: "*")
          ? text.utf8.starts(with: other.utf8.dropLast()) : text == other
      }
  }

  /// The type that a file's first bytes indicate, if they contradict the type of its name, for which ``canContradict``
  /// must hold; nil if they indicate nothing, or if the name may be right.
  static func contradiction(of type: MediaType, _ head: [UInt8]) -> MediaType? {
    let found = candidates(head).filter { $0.matches(head) }
    if found.contains(where: { $0.belongs(to: type) }) { return nil }
    if let other = found.first { return MediaType(other.type) }
    // Error pages and pointers of Git LFS are often saved under the name of a picture.
    guard isBinary(type), !head.isEmpty, FirstLook.isText(head),
      // Readers accept a PDF that begins with something else.
      !FirstLook.isPDF(head)
    else { return nil }
    return MediaType(FirstLook.isHTML(head) ? "text/html" : "text/plain")
  }

  /// Whether every file of a type begins with a signature that is no text.
  private static func isBinary(_ type: MediaType) -> Bool {
    let text = type.description
    return binary.contains(text)
      || text.utf8.starts(with: "application/vnd.openxmlformats-officedocument.".utf8)
  }

  private static let binary = Set(
    all.map(\.type) + [
      "audio/x-wav", "audio/x-flac", "audio/mp4", "audio/ogg", "audio/opus", "video/ogg",
      "video/webm", "image/heic", "image/avif", "image/x-icon", "image/x-ms-bmp",
      "application/java-archive", "application/epub+zip",
      "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet",
      "application/vnd.oasis.opendocument.presentation",
    ]
  ).subtracting(["application/postscript", "application/rtf", "video/x-ms-asf"])

  /// The type of a ZIP archive; nil for any other content.
  static func archive(_ head: some Collection<UInt8>) -> MediaType? {
    archives.contains { $0.matches(head) } ? MediaType(zipType) : nil
  }

  /// The signatures that content with this first byte may have, in order.
  private static func candidates(_ head: some Collection<UInt8>) -> [Signature] {
    head.first.map { byFirstByte[Int($0)] } ?? []
  }

  private static let byFirstByte = (0...UInt8.max).map { first in
    all.filter { $0.offset > 0 || $0.bytes.first.map { $0 == nil || $0 == first } ?? true }
  }

  private static let zipType = "application/zip"
  private static let archives = all.filter { $0.type == zipType }

  /// Whether any first bytes can contradict a type. Files of a type without a signature may start with anything, but no
  /// text starts with any of these signatures.
  static func canContradict(_ type: MediaType) -> Bool {
    let text = type.description
    return text.utf8.starts(with: "text/".utf8) || types.contains(text)
      || beginnings.contains { text.utf8.starts(with: $0.utf8) }
  }

  /// All types of which files with a signature may be, other than those that begin as below.
  private static let types = Set(all.flatMap { [$0.type] + $0.others })

  /// The beginnings of such types.
  private static let beginnings = Set(
    types.lazy.filter { $0.utf8.last == UInt8(ascii: "*") }.map { $0.dropLast() })

  private static func text(_ text: String) -> [UInt8?] { Array(text.utf8) }

  private static let zipped = [
    "application/java-archive", "application/epub+zip", "application/vnd.openxmlformats*",
    "application/vnd.oasis.opendocument*", "application/vnd.android.package-archive",
    "application/vnd.ms-*", "application/x-xpinstall", "application/vnd.comicbook+zip",
    "application/vnd.google-earth.kmz", "application/x-zip*", "application/vnd.apple*",
    "model/3mf", "model/vnd.usdz+zip", "image/openraster", "application/x-krita",
    "application/x-npz", "application/vnd.sketchup.skp", "application/x-ipynb+json",
    "application/oxps",
  ]
  private static let compound = [
    "application/msword", "application/vnd.ms-*", "application/vnd.visio", "application/x-msi",
    "application/vnd.wordperfect", "application/onenote", "application/x-ole-storage",
    "application/msaccess", "application/vnd.openxmlformats*",
  ]
  private static let tiff = ["image/x-*", "image/vnd.*", "application/vnd.*", "image/tiff-fx"]
  private static let mp4 = [
    "audio/mp4", "audio/x-m4a", "audio/x-m4*", "video/x-m4v", "video/quicktime", "video/3gpp*",
    "audio/3gpp*", "image/heic*", "image/heif*", "image/avif*", "image/x-canon-cr3",
    "video/iso.segment", "application/mp4", "image/jp2", "image/jpx", "image/jxl", "image/jpm",
  ]
  private static let riff: [UInt8?] = text("RIFF") + [nil, nil, nil, nil]

  static let all: [Signature] = [
    Signature(
      type: "application/x-executable", bytes: [0x7F] + text("ELF"),
      others: [
        "application/x-sharedlib", "application/x-object", "application/x-pie-executable",
        "application/vnd.appimage", "application/x-elf", "application/x-core",
      ]),
    Signature(
      type: "application/vnd.microsoft.portable-executable", bytes: text("MZ") + [nil, 0],
      others: ["application/x-msdos-program", "application/x-msdownload", "application/x-dosexec"]),
    Signature(
      type: "application/x-mach-binary", bytes: [nil, 0xFA, 0xED, 0xFE],
      others: ["application/x-sharedlib", "application/x-executable"]),
    Signature(
      type: "application/java-vm", bytes: [0xCA, 0xFE, 0xBA, 0xBE],
      others: ["application/x-java*", "application/x-mach-binary"]),
    Signature(type: "application/wasm", bytes: [0] + text("asm")),
    Signature(type: "image/png", bytes: [0x89] + text("PNG\r\n"), others: ["image/apng"]),
    Signature(
      type: "image/jpeg", bytes: [0xFF, 0xD8, 0xFF], others: ["image/pjpeg", "image/jpg"]),
    Signature(type: "image/gif", bytes: text("GIF8")),
    Signature(type: "image/webp", bytes: riff + text("WEBP")),
    Signature(type: "image/tiff", bytes: text("II*") + [0], others: tiff),
    Signature(type: "image/tiff", bytes: text("MM") + [0] + text("*"), others: tiff),
    Signature(type: "image/vnd.adobe.photoshop", bytes: text("8BPS"), others: ["image/x-psd"]),
    Signature(
      type: "image/vnd.microsoft.icon", bytes: [0, 0, 1, 0], others: ["image/x-icon", "image/ico"]),
    Signature(
      type: "image/bmp", bytes: text("BM") + [nil, nil, nil, nil, 0, 0, 0, 0],
      others: ["image/x-ms-bmp", "image/x-bmp"]),
    Signature(
      type: "audio/wav", bytes: riff + text("WAVE"),
      others: ["audio/x-wav", "audio/vnd.wave", "audio/wave"]),
    Signature(
      type: "video/x-msvideo", bytes: riff + text("AVI "), others: ["video/vnd.avi", "video/avi"]),
    Signature(type: "audio/flac", bytes: text("fLaC"), others: ["audio/x-flac"]),
    Signature(
      type: "audio/mpeg", bytes: text("ID3"),
      others: [
        "audio/aac", "audio/x-aac", "audio/flac", "audio/x-aiff", "audio/mp3", "audio/x-mp3",
      ]),
    Signature(type: "audio/midi", bytes: text("MThd"), others: ["audio/x-midi", "audio/sp-midi"]),
    Signature(
      type: "application/ogg", bytes: text("OggS"),
      others: ["audio/ogg", "video/ogg", "audio/opus", "audio/x-*", "video/x-*"]),
    Signature(type: "video/mp4", offset: 4, bytes: text("ftyp"), others: mp4),
    Signature(type: "video/quicktime", offset: 4, bytes: text("moov"), others: mp4),
    Signature(
      type: "video/x-matroska", bytes: [0x1A, 0x45, 0xDF, 0xA3],
      others: [
        "video/webm", "audio/webm", "audio/x-matroska", "video/x-matroska-3d", "video/matroska*",
        "audio/matroska",
      ]),
    Signature(
      type: "video/x-ms-asf", bytes: [0x30, 0x26, 0xB2, 0x75],
      others: ["video/x-ms-wmv", "audio/x-ms-wma", "video/x-ms-*", "application/vnd.ms-asf"]),
    Signature(type: "video/x-flv", bytes: text("FLV") + [1]),
    Signature(
      type: "application/pdf", bytes: text("%PDF-"),
      others: ["application/illustrator", "application/postscript", "application/x-pdf"]),
    Signature(
      type: "application/postscript", bytes: text("%!PS"),
      others: [
        "application/illustrator", "image/x-eps", "application/eps", "application/x-font-type1",
        "text/plain",
      ]),
    Signature(
      type: "application/rtf", bytes: text("{\\rtf"),
      others: ["text/rtf", "application/msword", "text/plain"]),
    Signature(type: zipType, bytes: text("PK") + [3, 4], others: zipped),
    Signature(type: zipType, bytes: text("PK") + [5, 6], others: zipped),
    Signature(
      type: "application/gzip", bytes: [0x1F, 0x8B],
      others: [
        "application/x-gzip", "application/x-compressed-tar", "image/svg+xml*",
        "application/x-blender", "application/x-gnumeric", "application/x-abiword",
        "application/vnd.*", "text/vcf", "application/dicom", "application/x-g*",
      ]),
    Signature(
      type: "application/x-bzip2", bytes: text("BZh"),
      others: ["application/bzip2", "application/x-bzip*", "text/plain"]),
    Signature(
      type: "application/x-xz", bytes: [0xFD] + text("7zXZ") + [0], others: ["application/x-xz*"]),
    Signature(
      type: "application/zstd", bytes: [0x28, 0xB5, 0x2F, 0xFD], others: ["application/x-zstd*"]),
    Signature(
      type: "application/x-7z-compressed", bytes: text("7z") + [0xBC, 0xAF, 0x27, 0x1C],
      others: ["application/x-cb7"]),
    Signature(
      type: "application/vnd.rar", bytes: text("Rar!") + [0x1A, 0x07],
      others: [
        "application/x-rar*", "application/vnd.comicbook-rar", "application/x-cbr",
        "application/rar",
      ]),
    Signature(
      type: "application/x-tar", offset: 257, bytes: text("ustar"),
      others: [
        "application/x-gtar", "application/x-cbt", "application/x-ruby-gem", "application/vnd.oci*",
        "application/x-virtualbox-ova", "application/ovf",
      ]),
    Signature(
      type: "application/vnd.debian.binary-package", bytes: text("!<arch>\n"),
      others: ["application/x-archive", "application/x-debian-package", "application/x-deb"]),
    Signature(
      type: "application/x-rpm", bytes: [0xED, 0xAB, 0xEE, 0xDB],
      others: ["application/x-redhat-package-manager"]),
    Signature(
      type: "application/x-ole-storage", bytes: [0xD0, 0xCF, 0x11, 0xE0], others: compound),
    Signature(
      type: "application/vnd.sqlite3", bytes: text("SQLite format 3") + [0],
      others: ["application/x-sqlite3", "application/geopackage+sqlite3"]),
    Signature(type: "font/woff", bytes: text("wOFF"), others: ["application/font-woff"]),
    Signature(type: "font/woff2", bytes: text("wOF2")),
    Signature(
      type: "font/otf", bytes: text("OTTO"),
      others: ["application/vnd.ms-opentype", "font/collection"]),
  ]
}
