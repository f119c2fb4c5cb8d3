import JSONText
import TestSupport
import Testing
import UploadModel

@testable import ProcessContext

struct CSVTests {
  @Test(
    "values are quoted where they have to be (RFC 4180)",
    arguments: [
      ("a b;c", "a b;c"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
      ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""), ("", ""),
    ])
  func quoting(value: String, field: String) {
    #expect(CSV.row([value, "x"]) == "\(field),x")
  }
}

extension CSVTests {
  @Test(
    "what a spreadsheet would compute has an apostrophe before it",
    arguments: [
      ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"),
      ("\rx", "\"'\rx\""), ("\nx", "\"'\nx\""), (" =1", "' =1"), ("\u{FEFF}=1", "'\u{FFFD}=1"),
      ("\u{301}=1", "'\u{301}=1"), ("=\u{301}1", "'=\u{301}1"), ("\u{200D}=1", "'\u{200D}=1"),
      ("\u{FF1D}1", "'\u{FF1D}1"), ("=1,\"", "\"'=1,\"\"\""), ("a=1", "a=1"), ("1-1", "1-1"),
      ("é", "é"),
    ])
  func formulas(value: String, field: String) {
    #expect(CSV.row([value, "x"]).utf8.elementsEqual("\(field),x".utf8), "\(CSV.row([value]))")
  }

  @Test("a terminal gets one line without anything that it may obey")
  func terminals() {
    let nasty = "a\u{1B}[2J\u{9B}1m\r\n\t\"\u{202E}b\u{7F}"
    #expect(
      CSV.row([nasty], isForTerminal: true) == "\"a␛[2J\u{FFFD}1m␍␊␉\"\"\u{FFFD}b␡\"")
    #expect(CSV.row([nasty]) == "\"a␛[2J\u{FFFD}1m\r\n\t\"\"\u{FFFD}b␡\"")
  }

  /// The fields of lines as RFC 4180 has them, read byte by byte.
  private func read(_ text: String) -> [[[UInt8]]] {
    var (rows, row, field, isQuoted, isOpen) = ([[[UInt8]]](), [[UInt8]](), [UInt8](), false, true)
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\"") where isQuoted && rest.first == UInt8(ascii: "\""):
        field.append(byte)
        rest.removeFirst()
      case UInt8(ascii: "\""):
        #expect(isQuoted || field.isEmpty && isOpen)
        (isQuoted, isOpen) = (!isQuoted, false)
      case UInt8(ascii: ",") where !isQuoted:
        row.append(field)
        (field, isOpen) = ([], true)
      case UInt8(ascii: "\n") where !isQuoted:
        rows.append(row + [field])
        (row, field, isOpen) = ([], [], true)
      default: field.append(byte)
      }
    }
    return rows
  }

  @Test("no mark makes a name into two fields or two rows")
  func marks() {
    for name in CombiningMarks.variants(of: "a\",\"b\r\n\"c\",x\nd,\"\"") {
      let rows = read("\(CSV.row([name, "1"]))\n\(CSV.row(["2", name]))\n")
      let shown = Array(name.utf8)
      #expect(
        rows == [[shown, Array("1".utf8)], [Array("2".utf8), shown]], "\(name.debugDescription)")
    }
  }
}

struct JSONLineTests {
  @Test("what a terminal may obey is escaped, and is the same JSON")
  func escaped() throws {
    let value = JSONValue.object(["a\u{202E}": .string("x\u{9B}31m\u{7F}\u{1B}ä🙂\"/")])
    let text = JSONLine.text(value)
    #expect(text == #"{"a\u202e":"x\u009b31m\u007f\u001bä🙂\"/"}"#)
    #expect(JSONValue(text: text) == value)
  }
}
