import Foundation
import Testing

@testable import Receiver

@Suite("Safe file names")
struct SafeFileNameTests {
  @Test(
    "a stranger's name becomes a name in one folder",
    arguments: [
      ("photo.jpg", "photo.jpg"),
      ("naïve café 🎉.png", "naïve café 🎉.png"),
      ("a\"b;c=d'e.txt", "a_b;c=d'e.txt"), ("AC\\DC.mp3", "AC_DC.mp3"),
      ("a<b>c|d?e*f:g.txt", "a_b_c_d_e_f_g.txt"),
      ("100%22.txt", "100%22.txt"),
      // Directories, of any system.
      ("../../etc/passwd", "passwd"),
      ("/etc/passwd", "passwd"),
      ("C:\\fakepath\\photo.jpg", "photo.jpg"),
      ("\\\\server\\share\\photo.jpg", "photo.jpg"),
      ("C:\\a/b\\c", "c"),
      // A backslash is a part of any other name.
      ("..\\..\\boot.ini", "_.._boot.ini"),
      ("a/b\\c", "b_c"),
      ("1:\\a", "1__a"),
      // Nothing left of it.
      ("", "file"),
      (".", "file"),
      ("..", "file"),
      ("../", "file"),
      ("a/", "file"),
      ("...", "file"),
      (" . . ", "file"),
      ("\u{0}\u{1}", "file"),
      // Hidden, or cut off by Windows.
      (".bashrc", "bashrc"),
      (".hoist-1.part", "hoist-1.part"),
      ("  .. x. . ", "x"),
      ("report.txt...", "report.txt"),
      // What acts on terminals or disguises.
      ("a\u{1B}[31mred\u{7}.txt", "a[31mred.txt"),
      ("a\r\nb\u{85}\u{2028}.txt", "ab.txt"),
      ("a\u{0}.jpg.txt", "a.jpg.txt"),
      ("photo\u{202E}gpj.exe", "photogpj.exe"),
      // Devices.
      ("CON", "_CON"), ("con.txt", "_con.txt"), ("Aux.tar.gz", "_Aux.tar.gz"), ("nul ", "_nul"),
      ("COM1", "_COM1"), ("lpt9.log", "_lpt9.log"), ("COM¹.x", "_COM¹.x"), ("com0", "_com0"),
      ("CONIN$", "_CONIN$"), ("COM10", "COM10"), ("console.txt", "console.txt"),
      ("PRN .txt", "_PRN .txt"), ("NUL:stream", "NUL_stream"),
    ])
  func sanitised(sent: String, stored: String) {
    #expect(SafeFileName(sent).candidate() == stored)
  }

  @Test(
    "a variation stands before the extension",
    arguments: [
      ("photo.jpg", "photo (2).jpg"), ("README", "README (2)"), ("a.tar.gz", "a (2).tar.gz"),
      ("a.TAR.xz", "a (2).TAR.xz"), ("a.b.c", "a.b (2).c"), ("tar.gz", "tar (2).gz"),
    ])
  func variation(sent: String, stored: String) {
    #expect(SafeFileName(sent).candidate("2") == stored)
  }

  @Test(
    "a long name is shortened to 255 bytes without cutting a character, and keeps its extension",
    arguments: [
      String(repeating: "x", count: 300) + ".jpg", String(repeating: "é", count: 200) + ".tar.gz",
      String(repeating: "👩‍👩‍👧‍👦", count: 40) + ".png", String(repeating: "x", count: 300),
      "a." + String(repeating: "y", count: 300),
    ])
  func long(sent: String) throws {
    for mark in [nil, "2", "1000", "deadbeef"] {
      let name = SafeFileName(sent).candidate(mark)
      #expect(name.utf8.count <= 255 && name.utf8.count > 200)
      #expect(!name.contains("\u{FFFD}"))
      for end in [".jpg", ".tar.gz", ".png"] where sent.hasSuffix(end) {
        #expect(name.hasSuffix(end))
      }
      if let mark { #expect(name.contains(" (\(mark))")) }
    }
  }

  @Test("one character longer than a name may be still leaves a name")
  func monster() {
    let zalgo = "a" + String(repeating: "\u{301}", count: 400)
    let name = SafeFileName(zalgo).candidate()
    #expect(!name.isEmpty && name.utf8.count <= 255)
  }

  /// A mark, a joiner or a selector makes one `Character` of itself and the sign before it.
  @Test(
    "no mark hides a slash, a dot or any other sign",
    arguments: ["\u{301}", "\u{200D}", "\u{FE0F}"])
  func marks(_ mark: String) throws {
    let samples = [
      "/x", "../../etc/passwd", "..", ".", "sub/x", "/", "//", ".htaccess", "C:\\a\\b", "\\\\s\\x",
      "a\"b", "a<b>|c?*:d", "x. ", " .x", "\r\n", "a\r\n/b", "nul", "con.txt", "COM1", "\u{0}a",
      "a\u{0}", "./.", "a/../b", "photo.jpg", "a.tar.gz", "\u{202E}x", ".hoist-records.json",
    ]
    for sample in samples {
      for marked in Self.marked(sample, mark) {
        for number in [nil, "2"] {
          let name = SafeFileName(marked).candidate(number)
          let bytes = Array(name.utf8)
          #expect(EntryName(name) != nil, "\(marked.debugDescription)")
          #expect(!bytes.contains(UInt8(ascii: "/")) && !bytes.contains(UInt8(ascii: "\\")))
          #expect(bytes.first != UInt8(ascii: ".") && bytes.last != UInt8(ascii: "."))
          #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F || "<>:\"|?*".utf8.contains($0) })
        }
      }
    }
  }

  /// The text with a mark behind each of its scalars, and behind all of them.
  private static func marked(_ text: String, _ mark: String) -> [String] {
    let scalars = Array(text.unicodeScalars)
    let single = scalars.indices.map { index in
      scalars.indices.map { String(scalars[$0]) + ($0 == index ? mark : "") }.joined()
    }
    return single + [scalars.map { String($0) + mark }.joined(), mark + text]
  }
}
