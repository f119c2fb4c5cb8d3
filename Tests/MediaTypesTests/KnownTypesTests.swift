import Testing

@testable import MediaTypes

/// What people upload, by extension: the type, and the table that it comes from.
@Suite("Types that people upload")
struct KnownTypesTests {
  /// On a machine without tables of its own.
  private static let guesser = MediaTypeGuesser(
    tables: [.commonMeanings, .builtIn], content: ContentSniffer())

  static let builtIn: [(String, String)] = [
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    ("avif", "image/avif"),
    ("tif", "image/tiff"),
    ("bmp", "image/bmp"),
    ("svg", "image/svg+xml"),
    ("ico", "image/vnd.microsoft.icon"),
    ("psd", "image/vnd.adobe.photoshop"),
    ("jxl", "image/jxl"),
    ("dng", "image/x-adobe-dng"),
    ("cr2", "image/x-canon-cr2"),
    ("nef", "image/x-nikon-nef"),
    ("arw", "image/x-sony-arw"),
    ("mp4", "video/mp4"),
    ("m4v", "video/mp4"),
    ("mov", "video/quicktime"),
    ("mkv", "video/x-matroska"),
    ("webm", "video/webm"),
    ("avi", "video/x-msvideo"),
    ("wmv", "video/x-ms-wmv"),
    ("flv", "video/x-flv"),
    ("mpg", "video/mpeg"),
    ("mts", "video/mp2t"),
    ("3gp", "video/3gpp"),
    ("ogv", "video/ogg"),
    ("mp3", "audio/mpeg"),
    ("m4a", "audio/mp4"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("aac", "audio/aac"),
    ("aif", "audio/x-aiff"),
    ("wma", "audio/x-ms-wma"),
    ("mid", "audio/midi"),
    ("amr", "audio/amr"),
    ("pdf", "application/pdf"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("rtf", "application/rtf"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("ndjson", "application/x-ndjson"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("ini", "text/plain"),
    ("conf", "text/plain"),
    ("log", "text/plain"),
    ("sql", "application/sql"),
    ("geojson", "application/geo+json"),
    ("gpx", "application/gpx+xml"),
    ("kml", "application/vnd.google-earth.kml+xml"),
    ("kmz", "application/vnd.google-earth.kmz"),
    ("ics", "text/calendar"),
    ("vcf", "text/vcard"),
    ("eml", "message/rfc822"),
    ("mbox", "application/mbox"),
    ("epub", "application/epub+zip"),
    ("mobi", "application/x-mobipocket-ebook"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("tgz", "application/gzip"),
    ("tar.gz", "application/gzip"),
    ("bz2", "application/x-bzip2"),
    ("xz", "application/x-xz"),
    ("zst", "application/zstd"),
    ("7z", "application/x-7z-compressed"),
    ("rar", "application/vnd.rar"),
    ("tar", "application/x-tar"),
    ("iso", "application/x-iso9660-image"),
    ("dmg", "application/x-apple-diskimage"),
    ("deb", "application/vnd.debian.binary-package"),
    ("rpm", "application/x-rpm"),
    ("apk", "application/vnd.android.package-archive"),
    ("jar", "application/java-archive"),
    ("exe", "application/vnd.microsoft.portable-executable"),
    ("msi", "application/x-msi"),
    ("dll", "application/vnd.microsoft.portable-executable"),
    ("so", "application/x-sharedlib"),
    ("wasm", "application/wasm"),
    ("sqlite", "application/vnd.sqlite3"),
    ("parquet", "application/vnd.apache.parquet"),
    ("avro", "application/vnd.apache.avro"),
    ("arrow", "application/vnd.apache.arrow.file"),
    ("onnx", "application/octet-stream"),
    ("npy", "application/x-npy"),
    ("h5", "application/x-hdf5"),
    ("pem", "application/x-pem-file"),
    ("crt", "application/x-x509-ca-cert"),
    ("p12", "application/x-pkcs12"),
    ("asc", "application/pgp-keys"),
    ("sig", "application/pgp-signature"),
    ("gpg", "application/pgp-encrypted"),
    ("py", "text/x-python"),
    ("rb", "application/x-ruby"),
    ("go", "text/x-go"),
    ("java", "text/x-java"),
    ("c", "text/x-csrc"),
    ("h", "text/x-chdr"),
    ("cpp", "text/x-c++src"),
    ("swift", "text/x-swift"),
    ("kt", "text/x-kotlin"),
    ("php", "application/x-php"),
    ("sh", "application/x-sh"),
    ("tsx", "text/tsx"),
    ("jsx", "text/jsx"),
    ("ipynb", "application/x-ipynb+json"),
    ("ttf", "font/ttf"),
    ("otf", "font/otf"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("stl", "model/stl"),
    ("obj", "model/obj"),
    ("glb", "model/gltf-binary"),
  ]

  @Test("by the built-in table", arguments: builtIn)
  func byTheBuiltInTable(_ ext: String, _ type: String) {
    let guess = Self.guesser.guess(name: Array("a.\(ext)".utf8))
    #expect(guess?.description == "\(type) by extension .\(ext) (built-in)")
  }

  /// The registries' tables as they are.
  private static let registry = NameTable(
    title: "mime.types",
    mimeTypes: """
      application/pgp-keys key
      application/rls-services+xml rs
      application/vnd.snesdev-page-table pt
      application/x-trash ~ bak old
      audio/csound orc
      text/vnd.trolltech.linguist ts
      application/x-partial-download part
      application/x-troff-man 1
      text/vnd.a a
      """)

  @Test(
    "an extension that people mean otherwise than the registries do",
    arguments: CommonMeanings.rows)
  func byCommonMeaning(_ pattern: String, _ type: String?) throws {
    let name = pattern.replacing("*", with: "a").replacing("[0-9]", with: "1")
    for tables in [
      [NameTable.commonMeanings, .builtIn], [.commonMeanings, Self.registry, .builtIn],
    ] {
      let guess = MediaTypeGuesser(tables: tables, content: ContentSniffer())
        .guess(name: Array(name.utf8))
      guard let type else {
        #expect(guess == nil, "\(name) is what its content says")
        continue
      }
      #expect(guess?.type.description == type, "\(name)")
      #expect(guess?.source.description.hasSuffix("(common meaning)") == true)
    }
  }

  @Test("a person's own table goes before all of it")
  func thePersonsOwn() throws {
    let home = try TemporaryFolder()
    try home.write("video/mp2t ts", to: ".mime.types")
    let tables = NameTable.ofThisMachine(
      environment: ["HOME": home.path, "XDG_DATA_DIRS": "/nowhere"])
    let guess = MediaTypeGuesser(tables: tables, content: ContentSniffer()).guess(path: "a.ts")
    #expect(guess.description == "video/mp2t by extension .ts (~/.mime.types)")
  }
}
