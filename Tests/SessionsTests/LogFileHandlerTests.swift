import TestSupport
import Testing

@testable import Sessions

struct LogFileHandlerTests {
  @Test("a value of the log is one value, whatever is in it")
  func logValues() {
    for value in CombiningMarks.variants(of: "a\" level=b \\\" c=\u{A0}d") {
      let quoted = Array(LogFileHandler.quoted(value).utf8)
      #expect(quoted.first == UInt8(ascii: "\"") && quoted.last == UInt8(ascii: "\""))
      var (read, rest) = ([UInt8](), quoted.dropFirst().dropLast())
      while let byte = rest.popFirst() {
        #expect(byte != UInt8(ascii: "\""), "the quotes end too early")
        read.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? 0 : byte)
      }
      #expect(read == Array(value.utf8))
    }
    #expect(LogFileHandler.quoted("a") == "a" && LogFileHandler.quoted("") == "\"\"")
    #expect(LogFileHandler.quoted("a\u{3000}b") == "\"a\u{3000}b\"")
  }
}
