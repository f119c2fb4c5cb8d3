import Foundation
import Testing

@testable import UploadModel

struct PatternTests {
  /// Expression, text, and the whole match with the groups; nil for none.
  @Test(
    arguments: [
      ("abc", "xabcx", ["abc"]), ("abc", "ab", nil), ("", "x", [""]), ("a*", "aaa", ["aaa"]),
      ("a*", "baa", [""]), ("a+", "baa", ["aa"]), ("a+?", "baa", ["a"]), ("ab?c", "ac abc", ["ac"]),
      ("a|ab", "ab", ["a"]), ("ab|a", "ab", ["ab"]),
      ("(a|ab)(c|bcd)", "abcd", ["abcd", "a", "bcd"]),
      ("^b", "ab", nil), ("b$", "ab", ["b"]),
      ("b$", "ab\n", ["b"]), ("b$", "ab\n\n", nil), ("b$", "ab\nc", nil),
      ("^a\\s$", "a\n", ["a\n"]), ("^$", "", [""]), ("a{3}", "aaaa", ["aaa"]),
      ("a{2,}", "aaaa", ["aaaa"]), ("a{1,2}", "aaaa", ["aa"]), ("a{1,2}?", "aaaa", ["a"]),
      ("a{0}b", "ab", ["b"]), ("x{", "x{", ["x{"]), ("{a}", "{a}", ["{a}"]),
      ("a{,2}", "a{,2}", ["a{,2}"]),
      ("[a-c]+", "xxcabd", ["cab"]), ("[^a-c]+", "abxyc", ["xy"]), ("[]]", "]", ["]"]),
      ("[^]]", "]a", ["a"]), ("[a-]+", "-a-", ["-a-"]), ("[\\]\\\\]+", "\\]", ["\\]"]),
      ("\\d+", "id 42;", ["42"]), ("\\w+", "-ä_9", ["_9"]), ("\\S+", "  a b", ["a"]),
      ("\\D+", "12ab3", ["ab"]), ("[\\d.]+", "v1.2", ["1.2"]), ("\\bcat\\b", "concat cat", ["cat"]),
      ("\\Bcat", "cat concat", ["cat"]), ("a.c", "a\nc abc", ["abc"]),
      ("(?i)HREF", "a href", ["href"]),
      ("(?i)[a-z]+", "ABC", ["ABC"]), ("(?i)ä", "Ä", ["Ä"]),
      (
        "\"url\":\"([^\"]+)\"", "{\"url\":\"http://h/x\"}",
        ["\"url\":\"http://h/x\"", "http://h/x"]
      ),
      ("(?:a|b)+(c)", "abac", ["abac", "c"]), ("(?<id>\\d+)", "n7", ["7", "7"]),
      ("(a)|(b)", "b", ["b", nil, "b"]), ("(a*)*", "aa", ["aa", "aa"]), ("()*", "x", ["", nil]),
      ("(a+|b)*c", "aabac", ["aabac", "a"]), ("\\.\\*\\/", "x.*/", [".*/"]),
      ("é", "cafe\u{301} é", ["é"]),
      ("\\t|\\n", "a\n", ["\n"]), ("🙂+", "x🙂🙂", ["🙂🙂"]),
    ] as [(String, String, [String?]?)])
  func matches(_ pattern: String, _ text: String, _ groups: [String?]?) throws {
    #expect(try Pattern(pattern).firstMatch(in: text) == groups)
  }

  @Test(arguments: [
    ("(", "has a \"(\" without \")\" after it"), (")", "has a \")\" without \"(\" before it"),
    ("[a", "has a \"[\" without \"]\" after it"), ("*a", "repeats nothing with \"*\""),
    ("a|+", "repeats nothing with \"+\""), ("a\\", "ends with \"\\\""),
    ("(a)\\1", "refers back with \"\\1\", which takes no bounded time"),
    ("(?=a)", "looks around with \"(?\", which takes no bounded time; write it without"),
    ("(?<!a)", "looks around with \"(?\", which takes no bounded time; write it without"),
    ("(?#a)", "has a \"(?\" that hoist does not know"),
    ("\\q", "has a \"\\q\" that hoist does not know"),
    ("[z-a]", "has a range that runs backwards"),
    ("a{3,2}", "has a count {3,2} that runs backwards"),
    ("[\\D]", "has a \"\\D\" between brackets, where hoist does not know it"),
    ("a{1001}", "is too long"), ("((a{100}){100}){100}", "is too long"),
    (String(repeating: "(", count: 60), "has groups nested too deeply"),
    ("a" + String(repeating: "{1}", count: 100_000), "repeats a repetition too often"),
    ("(?<x", "has a \"(?<\" without \">\""),
  ])
  func mistakes(_ pattern: String, _ problem: String) {
    let mistake = #expect(throws: InvalidInput.self) { try Pattern(pattern) }
    #expect(mistake?.description == "the regular expression \(problem)")
  }

  /// Repeating what is empty adds no step, and so no step too many.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: ["(?:){1000}{1000}{1000}", "(?:(?:(?:a{0}){1000}){1000}){1000}", "(?:){1000,}"])
  func nothingRepeated(pattern: String) throws {
    #expect(try Pattern("x\(pattern)y").firstMatch(in: "xy") == ["xy"])
  }

  /// What makes an engine that goes back take years ends at once.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "(a+)+$", "(a|a)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)(.*)(.*)x",
      "a{0,50}a{50}b",
    ])
  func nothingTakesForEver(_ pattern: String) throws {
    let text = String(repeating: "a", count: 3000) + "!"
    #expect(try Pattern(pattern).firstMatch(in: text) == nil)
  }

  /// Against another engine, over random expressions and texts.
  @Test func agreesWithFoundation() throws {
    var seed: UInt64 = 42
    func next(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((seed >> 33) % UInt64(bound))
    }
    func expression(_ depth: Int) -> String {
      switch depth == 0 ? next(4) : next(9) {
      case 0: "a"
      case 1: "b"
      case 2: "[ab]"
      case 3: "."
      case 4: expression(depth - 1) + expression(depth - 1)
      case 5: "(?:\(expression(depth - 1))|\(expression(depth - 1)))"
      case 6: "(\(expression(depth - 1)))"
      case 7: "(?:\(expression(depth - 1)))" + ["?", "{1,2}", "??", "{2}"][next(4)]
      default: ["a", "b", "[^a]"][next(3)] + ["*", "+", "*?", "+?"][next(4)]
      }
    }
    for _ in 0..<1500 {
      let source = expression(3)
      let text = (0..<next(8)).map { _ in ["a", "b", "c"][next(3)] }.joined()
      let ours = try Pattern(source).firstMatch(in: text)
      let other = try NSRegularExpression(pattern: source)
        .firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count))
      let theirs = other.map { match in
        (0..<match.numberOfRanges).map { group in
          Range(match.range(at: group), in: text).map { String(text[$0]) }
        }
      }
      #expect(ours == theirs, "\(source) in \(text)")
    }
  }
}
