import Foundation
import Testing

@testable import MediaTypes

@Suite("A first look at content, before libmagic is asked")
struct FirstLookTests {
  private static let plain = MediaType("text/plain").map(FirstLook.type)

  @Test(
    "a text whose beginning tells nothing is plain",
    arguments: [
      "The MIT License (MIT)\n\nCopyright (c) 2026\n", "CC = gcc\nall: hoist\n",
      "2026-11-29 10:00:00 INFO started, as usual\nno comma here\n", "ünïcödé\n", "Format: 1.0\n",
      "\n\n  words\n", "\u{1B}[31mred\u{1B}[0m\n",
    ])
  func plainTexts(_ text: String) { #expect(FirstLook(Array(text.utf8)) == Self.plain) }

  @Test(
    "a text that may be code, markup, mail or a table is for libmagic",
    arguments: [
      "#!/bin/sh\n", "<?xml?>", "% a\n", "From me", "From: me\n", "import os\n", "IMPORT OS\n",
      "a,b\n1,2\n", "a,b", "words <HTML>", "\"\"\"doc\"\"\"\n", "diff --git a b\n", "x",
    ])
  func texts(_ text: String) { #expect(FirstLook(Array(text.utf8)) == .ask(4096)) }

  @Test("JSON is recognised only by all of it", arguments: ["{\"a\":1}", " [1,2]"])
  func json(_ text: String) { #expect(FirstLook(Array(text.utf8)) == .ask(.max)) }

  @Test("bytes that are no text are looked at twice, if need be")
  func binary() {
    #expect(FirstLook([0, 1, 2]) == .askTwice(1104))
    #expect(FirstLook(Array("text\u{0}".utf8)) == .askTwice(1104))
    // Latin-1 is no UTF-8, unless what is missing was only cut off.
    #expect(
      FirstLook(Array("Gr".utf8) + [0xFC, 0xDF] + Array("e aus der Ferne".utf8)) == .askTwice(1104))
    #expect(FirstLook(Array("Stra".utf8) + [0xC3]) == Self.plain)
  }

  @Test("a picture that begins without doubt needs no libmagic")
  func certain() {
    #expect(FirstLook([0xFF, 0xD8, 0xFF, 0xE0]) == MediaType("image/jpeg").map(FirstLook.type))
    #expect(FirstLook(Array("GIF89a".utf8)) == MediaType("image/gif").map(FirstLook.type))
  }

  @Test("the signature of a disk image far behind is found, as is the type of a small document")
  func farBehind() {
    var image = [UInt8](repeating: 0, count: 40_000)
    image.replaceSubrange(32_769..<32_774, with: Array("CD001".utf8))
    image[32_768] = 1
    let type = ContentSniffer().guess(content: image).type.description
    #expect(type == "application/x-iso9660-image")
  }

  /// Real files of this machine, of which libmagic looks at the whole sample: at most one in a hundred may differ, and
  /// only in what kind of text it is.
  @Test("files of this machine are called what libmagic calls them")
  func filesOfThisMachine() throws {
    let sniffer = ContentSniffer()
    var (count, differing) = (0, [String]())
    for folder in ["/usr/bin", "/usr/share/doc", "/etc"] {
      guard let names = FileManager.default.enumerator(atPath: folder) else { continue }
      var left = 200
      for case let name as String in names where left > 0 && !name.contains(".") {
        let path = "\(folder)/\(name)"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
          !isFolder.boolValue,
          let content = FileManager.default.contents(atPath: path).map({
            Array($0.prefix(128 * 1024))
          }), !content.isEmpty
        else { continue }
        (left, count) = (left - 1, count + 1)
        let guess = sniffer.guess(content: content).type
        #expect(sniffer.guess(path: path).type == guess, "\(path)")
        let whole = sniffer.guess(content, of: content.count, as: .ask(.max)) { content }.type
        if guess != whole { differing.append("\(path): \(guess), not \(whole)") }
      }
    }
    #expect(count > 100)
    #expect(differing.count * 100 <= count, "\(differing)")
    #expect(differing.allSatisfy { $0.contains(": text/") }, "\(differing)")
  }
}
