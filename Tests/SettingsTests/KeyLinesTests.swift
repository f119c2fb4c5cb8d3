import Testing

@testable import Settings

struct KeyLinesTests {
  private static let text = """
    # a = "in a comment"
    default_target = "x"
    long = \"\"\"
    [targets.fake]
    url = "no"
    \"\"\"
    [targets.demo] # the first
    url = "http://h/#[x]"
    retry.attempts = 3
    fields = [
      { name = "a" }, # ]
      { name = "]" },
    ]
    timeout = 5

    [ targets . "a.b" ]
      'quoted key' = 1
      raw = '''
    x = 1'''
      after = 2
    [targets.demo.headers]
    A = "\\"]"
    [[targets.list.fields]]
    name = "one"
    [[targets.list.fields]]
    name = "two"
    """

  @Test(arguments: [
    ("default_target", 2), ("long", 3), ("targets", 7), ("targets.demo", 7),
    ("targets.demo.url", 8), ("targets.demo.retry", 9), ("targets.demo.retry.attempts", 9),
    // What has no line of its own falls back to what is around it.
    ("targets.demo.retry.base", 9), ("targets.demo.fields[1].name", 10),
    ("targets.demo.nowhere", 7), ("targets.fake.url", 7), ("targets.demo.timeout", 14),
    ("targets.\"a.b\"", 16), ("targets.\"a.b\".\"quoted key\"", 17), ("targets.\"a.b\".raw", 18),
    ("targets.\"a.b\".after", 20), ("targets.\"a.b\".x", 16),
    ("targets.demo.headers.A", 22), ("targets.list.fields[0].name", 24),
    ("targets.list.fields[1].name", 26), ("targets.list.fields[1]", 25),
    ("nowhere", nil), ("", nil),
  ])
  func lines(_ path: String, _ line: Int?) {
    #expect(KeyLocator(Self.text).line(of: path) == line)
  }

  /// It is asked about texts that are wrong: it must come to an end with any of them.
  @Test(arguments: [
    "", "[", "[[", "a", "a =", "= 1", "\"", "a = \"", "a = '''", "]", "a = [", ".", "[a\nb",
  ])
  func anyTextEnds(_ text: String) {
    for prefix in ["", "\u{FEFF}", "x = 1\n"] { _ = KeyLocator(prefix + text).line(of: "a.b[0]") }
  }

  @Test func windowsLineEndsCountOnce() {
    #expect(KeyLocator("a = 1\r\nb = 2\r\n").line(of: "b") == 2)
  }

  @Test(arguments: [
    ("a = 1\nb = \"x\0y\"\nc = 2", "b", 2), ("[t.u]\na = { b = 'x\0' }", "t.u.a", 2),
    ("[[t]]\na = \"x\\u0000\"", "t[0].a", 2), ("a = \"\"\"\n\\U00000000\"\"\"", "a", 2),
    (#""k\u0000" = 1"#, #"k\u0000"#, 1), ("[t]\n# \0\na = 1", "t", 2), ("# \0", "", 1),
    ("a = 1 # \0", "a", 1), ("a = 1\n\0\nb = 2", "", 2), ("a = '''\n\0'''", "a", 2),
  ])
  func whereANULStands(_ text: String, _ key: String, _ line: Int) {
    let place = KeyLocator(text).firstNUL
    #expect(place?.key == key && place?.line == line, "\(String(describing: place))")
  }

  @Test(arguments: [#"a = "\\u0000""#, #"a = '\u0000'"#, #"a = '''\u0000'''"#, "a = 1 # \\u0000"])
  func whatIsNoNUL(_ text: String) { #expect(KeyLocator(text).firstNUL == nil) }
}
