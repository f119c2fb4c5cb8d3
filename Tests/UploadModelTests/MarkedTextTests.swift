import Foundation
import JSONText
import TestSupport
import Testing

@testable import UploadModel

/// A combining mark after a special character does not change how that character is escaped: what was
/// escaped is read back scalar by scalar.
@Suite struct MarkedTextTests {
  static let texts = CombiningMarks.variants(
    of: "a/b\\c\"d'e{f}g%h=i&j?k~l\nm\r\nn\to@p:q#r;s<t> u\u{7}")

  private func isSame(_ a: String?, _ b: String) -> Bool {
    a.map { $0.utf8.elementsEqual(b.utf8) } ?? false
  }

  @Test(arguments: texts) func json(_ text: String) {
    let value = JSONValue(text: "\"\(JSONValue.escaped(text))\"")
    guard case .string(let read)? = value else {
      Issue.record("no JSON")
      return
    }
    #expect(isSame(read, text))
  }

  @Test(arguments: texts) func percentEncoding(_ text: String) {
    let encoded = PercentEncoding.encode(text)
    #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#&=\"'@:".utf8.contains($0) })
    #expect(isSame(encoded.removingPercentEncoding, text))
  }

  @Test(arguments: texts) func templates(_ text: String) throws {
    let template = try Template(Template(literal: text).source)
    #expect(template.isLiteral && isSame(template.fixedText, text))
  }

  @Test(arguments: texts) func pointers(_ text: String) throws {
    let escaped = text.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }
      .joined()
    let pointer = try JSONPointer("/\(escaped)")
    #expect(pointer.tokens.count == 1 && isSame(pointer.tokens.first, text))
  }

  @Test(arguments: texts) func safeText(_ text: String) {
    for line in [SafeText.line(text)] + SafeText.lines(text) {
      #expect(line.unicodeScalars.allSatisfy(SafeText.isShown), "\(line.debugDescription)")
    }
  }

  @Test func secretsOfQueries() throws {
    for url in CombiningMarks.variants(
      of: "http://h/a?api_key=s3cr3t&b=c", special: { "?&=".unicodeScalars.contains($0) })
    {
      let template = Template(literal: url).hidingQuery()
      let shown = template.stretches(with: Template.Values(now: Date(), uuid: UUID())).shown
      #expect(!shown.utf8.contains("s3cr3t".utf8), "\(shown)")
    }
  }

  @Test func namesOfSecrets() {
    for name in CombiningMarks.variants(of: "X-Api_Key", special: { $0.isASCII }) {
      #expect(SecretName.matches(name), "\(name)")
    }
  }

  @Test func partsOfNames() throws {
    let values = Template.Values(
      fileName: "a.tar.\u{301}gz", fileSize: 1, fileType: "", now: Date(), uuid: UUID())
    let template = try Template("{file.stem}|{file.ext}")
    #expect(template.filled(with: values).utf8.elementsEqual("a.tar|\u{301}gz".utf8))
  }
}

extension Collection where Element: Equatable {
  fileprivate func contains(_ other: some Collection<Element>) -> Bool {
    indices.contains { self[$0...].starts(with: other) }
  }
}
