import Testing

@testable import MediaTypes

@Suite("Types by file name")
struct NameTableTests {
  static let mimeTypes = NameTable(
    title: "mime.types",
    mimeTypes: """
      # a comment
      application/gzip\t\t\tgz   # another
      image/jpeg jpeg JPG jpe
      text/plain
      application/x-sh sh
      text/x-sh sh
      not-a-type foo
      chemical/x-mopac-input mpc
      application/vnd.mophun.certificate mpc
      """)

  static let globs = NameTable(
    title: "shared-mime-info",
    globs2: """
      # written by a test
      80:application/vnd.apple.keynote:*.key
      50:application/pgp-keys:*.key
      50:application/x-compressed-tar:*.tar.gz
      50:application/gzip:*.gz
      50:text/x-c++src:*.C:cs
      50:text/x-csrc:*.c:cs
      50:text/x-makefile:makefile
      10:text/x-makefile:makefile.*
      10:text/x-readme:readme*
      50:text/markdown:*.md
      60:application/x-sharedlib:*.so.[0-9]*
      50:video/x-anim:*.anim[1-9j]
      50:application/x-trash:*~
      50:audio/x-musepack:*.mpc
      50:text/plain:*.txt:unknown-flag
      fifty:text/plain:*.bad
      50:text/plain
      50:nonsense:*.worse
      0:text/x-nothing:__NOGLOBS__
      """)

  static let guesser = MediaTypeGuesser(
    tables: [mimeTypes, globs, .builtIn], content: ContentSniffer())

  @Test("an answer does not depend on the names before it, which may have the same ending")
  func answersAreIndependent() {
    let names = [
      "notes.md", "makefile.md", "readme.md", ".md", "x.c", "makefile.c", "x.C", "X.c", "lib.so.1",
      "makefile.so.1", "lib.so.1~", "a.tar.gz", "a.b.gz", "tar.gz", ".tar.gz", "b.TAR.gz", "é.md",
      "none", "a.none", "a.none~",
    ]
    for names in [names, names.reversed()] {
      let shared = MediaTypeGuesser(
        tables: [Self.mimeTypes, Self.globs, .builtIn], content: ContentSniffer())
      for name in names {
        let alone = MediaTypeGuesser(
          tables: [Self.mimeTypes, Self.globs, .builtIn], content: ContentSniffer())
        #expect(shared.guess(name: name) == alone.guess(name: name), "\(name)")
      }
    }
  }

  @Test(
    "the longest pattern of all tables wins, then the earlier table, then the unambiguous one",
    arguments: [
      ("photo.jpg", "image/jpeg by extension .jpg (mime.types)"),
      ("PHOTO.JPEG", "image/jpeg by extension .jpeg (mime.types)"),
      ("a.tar.gz", "application/x-compressed-tar by extension .tar.gz (shared-mime-info)"),
      ("a.b.gz", "application/gzip by extension .gz (mime.types)"),
      ("slides.key", "application/vnd.apple.keynote by extension .key (shared-mime-info)"),
      ("x.c", "text/x-csrc by extension .c (shared-mime-info)"),
      ("x.C", "text/x-c++src by extension .C (shared-mime-info)"),
      ("Makefile", "text/x-makefile by name makefile (shared-mime-info)"),
      ("Makefile.am", "text/x-makefile by name makefile.* (shared-mime-info)"),
      ("README.md", "text/markdown by extension .md (shared-mime-info)"),
      ("README", "text/x-readme by name readme* (shared-mime-info)"),
      ("libm.so.6", "application/x-sharedlib by extension .so.[0-9]* (shared-mime-info)"),
      ("x.anim3", "video/x-anim by extension .anim[1-9j] (shared-mime-info)"),
      ("letter.doc~", "application/x-trash by name *~ (shared-mime-info)"),
      ("run.sh", "application/x-sh by extension .sh (built-in)"),
      ("song.mpc", "audio/x-musepack by extension .mpc (shared-mime-info)"),
      ("film.webm", "video/webm by extension .webm (built-in)"),
      ("naïve café 🎉.webp", "image/webp by extension .webp (built-in)"),
      ("...gz", "application/gzip by extension .gz (mime.types)"),
    ])
  func knownName(name: String, expected: String) {
    #expect(Self.guesser.guess(name: Array(name.utf8))?.description == expected)
  }

  @Test(
    "a name without a known extension says nothing",
    arguments: [
      "", "data", ".jpg", ".gz", "trailing.", "x.foo", "x.bad", "x.worse", "x.unheard-of", "gz",
      "jpg",
      "__NOGLOBS__", "photo.jpg ", "photo.jpg\n",
    ])
  func unknownName(name: String) {
    #expect(Self.guesser.guess(name: Array(name.utf8)) == nil)
  }

  @Test("only the last component of a path counts")
  func folders() {
    #expect(Self.guesser.guess(path: "/no/such.jpg/folder/x.webm").type.description == "video/webm")
    #expect(
      Self.guesser.guess(path: "/no/such.jpg/file").source == .unknown(.unreadable(2)))
  }

  @Test("bytes that are not UTF-8 do not hide the extension")
  func rawBytes() {
    let name = [0xFF, 0x2F, 0xC3, 0x28, 0xFE] + Array(".jpg".utf8)
    #expect(Self.guesser.guess(path: name).type.description == "image/jpeg")
  }

  @Test("a name of many dots is answered")
  func dots() {
    let name = [UInt8](repeating: UInt8(ascii: "."), count: 1 << 18) + Array("gz".utf8)
    #expect(Self.guesser.guess(name: name)?.type.description == "application/gzip")
  }

  @Test("what the person says wins over everything, and the file is not looked at")
  func override() throws {
    let type = try #require(MediaType("application/x-mine"))
    let guess = Self.guesser.guess(path: "/no/such/photo.jpg", override: type)
    #expect(guess == MediaTypeGuess(type: type, source: .override))
  }

  @Test("every line of the built-in table is a type with extensions that it answers to")
  func builtIn() throws {
    let guesser = MediaTypeGuesser(tables: [.builtIn], content: ContentSniffer())
    for (name, type) in [
      ("a.pdf", "application/pdf"), ("a.JPG", "image/jpeg"), ("a.heic", "image/heic"),
      ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
      ("a.mp4", "video/mp4"), ("a.json", "application/json"), ("a.tar.gz", "application/gzip"),
      ("a.swift", "text/x-swift"), ("a.webmanifest", "application/manifest+json"),
    ] {
      #expect(guesser.guess(name: Array(name.utf8))?.type.description == type)
    }
    #expect(NameTable.builtIn.count > 500)
  }

  @Test("tables of a machine are found along HOME and the XDG folders, in order")
  func discovery() throws {
    let home = try TemporaryFolder()
    try home.write("image/x-mine jpg", to: ".mime.types")
    try home.write("50:image/x-theirs:*.jpg\n50:image/x-other:*.xyzzy\n", to: "data/mime/globs2")
    let tables = NameTable.ofThisMachine(
      environment: [
        "HOME": home.path, "XDG_DATA_HOME": "\(home.path)/data", "XDG_DATA_DIRS": "/nowhere",
      ])
    let guesser = MediaTypeGuesser(tables: tables, content: ContentSniffer())
    #expect(
      guesser.guess(path: "a.jpg").description == "image/x-mine by extension .jpg (~/.mime.types)")
    #expect(
      guesser.guess(path: "a.xyzzy").description
        == "image/x-other by extension .xyzzy (shared-mime-info)")
  }
}
