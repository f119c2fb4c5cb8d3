import TestSupport
import Testing
import UploadModel

struct RegularExpressionTests {
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
      ("(a)|(b)", "b", ["b", nil, "b"]), ("(a*)*", "aa", ["aa", ""]), ("()*", "x", ["", ""]),
      ("(a+|b)*c", "aabac", ["aabac", "a"]), ("\\.\\*\\/", "x.*/", [".*/"]),
      ("é", "cafe\u{301} é", ["é"]),
      ("\\t|\\n", "a\n", ["\n"]), ("🙂+", "x🙂🙂", ["🙂🙂"]),
      // Lines may end with CR and LF.
      ("b$", "ab\r\n", ["b"]), ("a.*", "ab\r\nc", ["ab"]), ("a.", "a\r", nil),
      ("(?m)^b$", "a\r\nb\r\nc", ["b"]),
      // These need an engine that backtracks.
      ("a(?=b)", "ac ab", ["a"]), ("a(?!b)\\w", "ab ac", ["ac"]), ("(?<=: )\\w+", "url: x", ["x"]),
      ("(?<!a)b", "ab cb", ["b"]), ("(?<=é)(.)", "éa", ["a", "a"]),
      ("(['\"])(.*?)\\1", "x='a\"b'", ["'a\"b'", "'", "a\"b"]),
      ("(?<q>['\"])(?<url>.*?)\\k<q>", "=\"a'b\"", ["\"a'b\"", "\"", "a'b"]),
      ("(?'n'a)(?P<m>b)(?P=m)", "abb", ["abb", "a", "b"]), ("a++b", "aab", ["aab"]),
      ("url=\\K\\w+", "url=x", ["x"]),
      ("(?(DEFINE)(went\\K))(?=(?1))", "it went", ["", nil]), ("\\\\X", "a\\X", ["\\X"]),
      ("(?#note)a", "a", ["a"]),
      ("[^\\D]+", "a12", ["12"]),
      // Only ASCII, unless the expression asks for Unicode.
      ("\\d", "٣", nil), ("(*UCP)\\d", "٣", ["٣"]), ("(*UCP)\\w+", "-ä_9", ["ä_9"]),
      ("\\s", "\u{A0}", nil), ("(?i)[à-ö]+", "ÄÖ", ["ÄÖ"]), ("\\p{L}+", "1äb", ["äb"]),
      // Callouts do nothing, and a NUL is a character like any other.
      ("a(?C1)b(?C'x')", "ab", ["ab"]), ("a.b", "a\0b", ["a\0b"]),
    ] as [(String, String, [String?]?)])
  func matches(_ source: String, _ text: String, _ groups: [String?]?) throws {
    #expect(try RegularExpression(source).firstMatch(in: text) == groups)
  }

  @Test(arguments: [
    ("(", 1, "missing closing parenthesis"), ("ä(", 2, "missing closing parenthesis"),
    (")", 1, "unmatched closing parenthesis"), ("a\\", 2, "\\ at end of pattern"),
  ])
  func mistakes(_ source: String, _ character: Int, _ problem: String) {
    let mistake = #expect(throws: RegularExpression.Mistake.self) { try RegularExpression(source) }
    #expect(mistake?.description == "is invalid near character \(character): \(problem)")
  }

  @Test(arguments: [
    "[a", "*a", "a|+", "\\q", "[z-a]", "a{3,2}", "(?<x", "(?q)", "(a)\\2", "(?<=a+)b", "a\\Cb",
    "\\X", "a\\\\\\X++b",
    "a{65536}", "((a{100}){100}){100}", String(repeating: "(", count: 300),
  ])
  func otherMistakes(_ source: String) {
    #expect(throws: RegularExpression.Mistake.self) { try RegularExpression(source) }
  }

  @Test func length() throws {
    let longest = String(repeating: "a", count: 4000)
    #expect(try RegularExpression(longest).firstMatch(in: longest) == [longest])
    let mistake = #expect(throws: RegularExpression.Mistake.self) {
      try RegularExpression(longest + "a")
    }
    #expect(mistake?.description == "is longer than 4000 bytes")
  }

  @Test(arguments: [
    ("a(?:b)", 0, false), ("(a)(?<n>b)", 2, false), ("(a)\\1", 1, true), ("(?<n>a)\\k<n>", 1, true),
    ("(a)?(?(1)b|c)", 1, true),
  ])
  func whatIsKnownOfGroups(_ source: String, _ groups: Int, _ refersBack: Bool) throws {
    let expression = try RegularExpression(source)
    #expect(expression.groups == groups && expression.refersBack == refersBack)
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: ["(?:){1000}{1000}{1000}", "(?:(?:(?:a{0}){1000}){1000}){1000}", "(?:){1000,}"])
  func nothingRepeated(_ source: String) throws {
    let expression = try? RegularExpression("x\(source)y")
    #expect(try expression?.firstMatch(in: "xy") ?? ["xy"] == ["xy"])
  }

  /// Without a budget, each would take minutes or years on one of the texts below.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "(a+)+$", "(a|a)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)(.*)(.*)x",
      // These stay below PCRE2's own limit, which counts anew from each place.
      "(?:a|b)*c", "a+:", "(?:a|b)*?[^x]*+x",
      "(a*)\\1b", "(?i)(a*)\\1b", "(?<n>a*)b?\\k<n>c", "(?=(a*))\\1b", "^(?:a?(?R)?b)+$",
      // An expression may only lower the limits.
      "(*LIMIT_MATCH=4000000000)(*LIMIT_DEPTH=4000000000)(*LIMIT_HEAP=4000000000)(a+)+$",
      "(*NO_START_OPT)(*NO_AUTO_POSSESS)\\w+:",
    ])
  func nothingTakesForEver(_ source: String) throws {
    let expression = try RegularExpression(source)
    for end in ["!", "!bc:x;Zx "] {
      let text = String(repeating: "a", count: Effort.of(65_536, long: 1_000_000)) + end
      // Whether there is a match does not matter.
      _ = try? expression.firstMatch(in: text, steps: Effort.of(500_000, long: SearchBudget.steps))
    }
  }

  /// The same on every machine: steps are counted, not seconds.
  @Test(arguments: ["(a+)+$", "(a|b)*c", "a+:", "(a*)\\1b"])
  func aSearchThatEndsEarly(_ source: String) throws {
    let expression = try RegularExpression(source)
    let text = String(repeating: "a", count: 65_536) + "!bc:"
    #expect(throws: RegularExpression.SearchEnded.self) { try expression.firstMatch(in: text) }
    #expect(try expression.firstMatch(in: "!") == nil)
  }

  /// As long as the longest reply that hoist reads.
  @Test(arguments: ["^(a|b)*!$", "^(?s)(?:(?!zz).)*!", "a.*!", "^.*?!", "(?<w>a)\\k<w>*!"])
  func aLongTextThatMatches(_ source: String) throws {
    let text = String(repeating: "a", count: 65_535) + "!"
    #expect(try RegularExpression(source).firstMatch(in: text)?.first == text)
  }

  /// Threads share an expression.
  @Test func atOnce() async throws {
    let expression = try RegularExpression("(\\d+)(?=;)")
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          (try? expression.firstMatch(in: "7, \(number);")) == ["\(number)", "\(number)"]
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
