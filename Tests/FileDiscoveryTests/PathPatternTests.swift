import Testing

@testable import FileDiscovery

/// Source of the rules: gitignore(5).
@Suite("Patterns for paths")
struct PathPatternTests {
  @Test(
    "match",
    arguments: [
      // Without a slash: a name at any depth.
      ("*.tmp", "a.tmp"), ("*.tmp", "b/c/a.tmp"), ("a?c", "x/abc"), ("a?c", "aéc"),
      ("[a-c]x", "bx"),
      ("[!a-c]x", "dx"), ("[]x]", "]"), ("a\\*b", "a*b"), ("*", "anything"), ("a**b", "axxb"),
      ("*a*b*c", "xxaxxbxxc"), ("[", "["), ("\\!x", "!x"), ("naïve*", "naïve café.txt"),
      // With one: from the folder of the pattern on.
      ("/a.txt", "a.txt"), ("b/a.txt", "b/a.txt"), ("b/*", "b/c"), ("**/a", "a"), ("**/a", "x/y/a"),
      ("a/**", "a/b"), ("a/**", "a/b/c"), ("a/**/b", "a/b"), ("a/**/b", "a/x/y/b"), ("**", "a/b"),
      ("a/[x-z]/*.c", "a/y/m.c"),
      // Spaces at the end do not count unless they are escaped.
      ("a  ", "a"), ("a\\ ", "a "),
    ])
  func matches(pattern: String, path: String) throws {
    let pattern = try #require(PathPattern(pattern))
    #expect(pattern.matches(path.split(separator: "/").map(String.init), isFolder: false))
  }

  @Test(
    "do not match",
    arguments: [
      ("*.tmp", "a.tmpx"), ("/a.txt", "b/a.txt"), ("b/a.txt", "c/b/a.txt"), ("b/*", "b/c/d"),
      ("a/*", "a"), ("a/**", "a"), ("a?c", "a/c"), ("*", ""), ("a*", "b"), ("[a-c]x", "dx"),
      ("a/**/b", "a/bc"), ("x/", "x"), ("[b", "b"),
    ])
  func doesNotMatch(pattern: String, path: String) throws {
    let pattern = try #require(PathPattern(pattern))
    #expect(!pattern.matches(path.split(separator: "/").map(String.init), isFolder: false))
  }

  @Test("a slash at the end means folders only, an exclamation mark takes back")
  func kinds() throws {
    let folder = try #require(PathPattern("build/"))
    #expect(folder.matches(["x", "build"], isFolder: true))
    #expect(!folder.matches(["x", "build"], isFolder: false))
    let back = try #require(PathPattern("!keep.tmp"))
    #expect(back.isNegated && back.matches(["keep.tmp"], isFolder: false))
    for nothing in ["", "   ", "/", "!", "//"] { #expect(PathPattern(nothing) == nil) }
  }

  @Test("a pattern that is made to take for ever does not")
  func hostile() throws {
    let pattern = try #require(PathPattern(String(repeating: "*a", count: 60) + "b"))
    #expect(!pattern.matches([String(repeating: "a", count: 250)], isFolder: false))
    let deep = try #require(PathPattern(String(repeating: "**/a/", count: 40) + "b"))
    #expect(!deep.matches(Array(repeating: "a", count: 120), isFolder: false))
  }
}
