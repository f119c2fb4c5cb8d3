import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import FileDiscovery

@Suite("The files in a folder")
struct FolderScanTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func make(_ paths: String...) throws {
    for path in paths {
      let folder = (scratch.path(path) as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try scratch.write(path, Array(path.utf8))
    }
  }

  /// What a scan finds, from the folder on; a folder that cannot be listed ends with its error.
  private func found(_ change: (inout FolderRules) -> Void = { _ in }) -> [String] {
    var rules = FolderRules()
    change(&rules)
    return FolderScan(FileLocation(scratch.path), rules: rules).map { entry in
      switch entry {
      case .file(let file): String(file.description.dropFirst(scratch.path.count + 1))
      case .unreadable(let folder, let reason):
        "\(folder.description.dropFirst(scratch.path.count + 1))!\(reason)"
      }
    }
  }

  @Test("come in the order of their names' bytes, at every depth, hidden ones only where asked for")
  func order() throws {
    try make("b.txt", "a/2", "a/1", "B.txt", "a.txt", "é", ".hidden", ".git/x", "a/.x", "z/y/x/w")
    #expect(found() == ["B.txt", "a/1", "a/2", "a.txt", "b.txt", "z/y/x/w", "é"])
    #expect(
      found { $0.includesHidden = true } == [
        ".git/x", ".hidden", "B.txt", "a/.x", "a/1", "a/2", "a.txt", "b.txt", "z/y/x/w", "é",
      ])
    #expect(found { $0.isRecursive = false } == ["B.txt", "a.txt", "b.txt", "é"])
  }

  @Test("links: to files they are files, to folders only where asked for, loops end")
  func links() throws {
    try make("a/x", "b/y")
    let manager = FileManager.default
    for (link, to) in [
      ("a/file", "x"), ("a/folder", "../b"), ("b/up", ".."), ("b/self", "."), ("c", "c"),
      ("gone", "nowhere"),
    ] {
      try manager.createSymbolicLink(atPath: scratch.path(link), withDestinationPath: to)
    }
    #expect(found() == ["a/file", "a/x", "b/y", "c", "gone"])
    #expect(
      found { $0.followsLinks = true } == [
        "a/file", "a/folder/y", "a/x", "b/y", "c", "gone",
      ])
  }

  @Test("FIFOs are passed over, a name that is not UTF-8 is found as it is")
  func kinds() throws {
    try make("a")
    #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
    let strange = FileLocation(bytes: Array(scratch.path("x").utf8) + [0xFF, 0xFE])
    let file = strange.withCString { open($0, O_CREAT | O_WRONLY, 0o600) }
    #expect(file >= 0)
    close(file)
    let all = Array(FolderScan(FileLocation(scratch.path)))
    #expect(all == [.file(FileLocation(scratch.path("a"))), .file(strange)])
  }

  @Test("a missing folder is reported")
  func missing() {
    let nowhere = FileLocation(scratch.path("nowhere"))
    let reason = "No such file or directory"
    #expect(Array(FolderScan(nowhere)) == [.unreadable(nowhere, reason: reason)])
  }

  @Test("patterns leave out and let in")
  func patterns() throws {
    try make("a.jpg", "a.tmp", "raw/b.jpg", "raw/b.nef", "build/c.jpg", "x/build/d.jpg")
    func patterns(_ texts: String...) -> [PathPattern] { texts.compactMap { PathPattern($0) } }
    #expect(
      found { $0.excludes = patterns("*.tmp", "build/") } == ["a.jpg", "raw/b.jpg", "raw/b.nef"])
    #expect(
      found { $0.excludes = patterns("/build") }
        == ["a.jpg", "a.tmp", "raw/b.jpg", "raw/b.nef", "x/build/d.jpg"])
    #expect(found { $0.includes = patterns("*.nef", "a.*") } == ["a.jpg", "a.tmp", "raw/b.nef"])
    #expect(found { $0.includes = patterns("raw/") } == ["raw/b.jpg", "raw/b.nef"])
    #expect(
      found { $0.excludes = patterns("*.jpg", "!b.jpg") } == ["a.tmp", "raw/b.jpg", "raw/b.nef"])

    var rules = FolderRules()
    rules.excludes = patterns("build/")
    rules.includes = patterns("*.jpg")
    #expect(rules.accepts(["x", "a.jpg"]) && !rules.accepts(["build", "a.jpg"]))
    #expect(!rules.accepts(["x", "a.tmp"]) && !rules.accepts([".x", "a.jpg"]))
  }

  @Test("ignore files hold for their folder and below; the deeper one decides")
  func ignoreFiles() throws {
    try make("a.log", "keep.log", "x/a.log", "x/keep.log", "x/y/a.log", "x/only")
    try scratch.write(".gitignore", Array("# logs\n*.log\n!keep.log\n\n/x/only\n".utf8))
    try scratch.write("x/.gitignore", Array("keep.log\n".utf8))
    try scratch.write("x/y/.gitignore", Array("!a.log\n".utf8))
    #expect(found { $0.ignoreFile = ".gitignore" } == ["keep.log", "x/y/a.log"])
    #expect(
      found {
        $0.ignoreFile = ".gitignore"
        $0.excludes = [PathPattern("y/")].compactMap { $0 }
      } == ["keep.log"])
  }

  /// Makes folders within each other, each with a file `z`, and returns the names of what is below the first.
  private func makeChain(_ depth: Int, named name: String) throws -> [String] {
    var folder = open(scratch.path, O_RDONLY | O_DIRECTORY)
    defer { close(folder) }
    var (path, files) = ("", [String]())
    for _ in 0..<depth {
      #expect(mkdirat(folder, name, 0o700) == 0)
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY)
      close(folder)
      folder = inner
      close(openat(folder, "z", O_CREAT | O_WRONLY, 0o600))
      path += "\(name)/"
      files.append("\(path)z")
    }
    return files
  }

  @Test(
    "a tree deeper than the system takes a path, and than it has descriptors, is scanned to its end"
  )
  func deep() throws {
    let long = try makeChain(30, named: String(repeating: "d", count: 250))
    let many = try makeChain(3000, named: "e")
    defer { _ = try? Tool.run("rm", ["-rf", scratch.path]) }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    // The deepest file comes first: `z` is the last name in each folder.
    #expect(found() == Array(long.reversed()) + many.reversed())
  }

  @Test("a folder that was replaced while its contents were scanned is reported")
  func replaced() throws {
    // Deep enough that the first folder has been closed in the meantime.
    try make("a/b/c/d/e/f/g/h/i/j/file", "a/k", "z")
    var scan = FolderScan(FileLocation(scratch.path))
    let first = scan.next()
    #expect(first == .file(FileLocation(scratch.path("a/b/c/d/e/f/g/h/i/j/file"))))
    let manager = FileManager.default
    try manager.moveItem(atPath: scratch.path("a"), toPath: scratch.path("away"))
    try make("a/k")
    let rest = Array(IteratorSequence(scan))
    #expect(
      rest == [
        .unreadable(
          FileLocation(scratch.path("a")),
          reason: "another folder took its place while it was being read"),
        .file(FileLocation(scratch.path("z"))),
      ])
  }

  @Test("an ignore file may have a mark and CRs, lie in a folder of any name, or be no file")
  func oddIgnoreFiles() throws {
    try make("a.log", "b.log", "x/a.log")
    try scratch.write(".gitignore", Array("\u{FEFF}a.log\r\n".utf8))
    try FileManager.default.createDirectory(
      atPath: scratch.path("x/.gitignore"), withIntermediateDirectories: false)
    let strange = FileLocation(bytes: Array(scratch.path("y").utf8) + [0xFF])
    #expect(strange.withCString { mkdir($0, 0o700) } == 0)
    for name in [".gitignore", "c.log", "d.log"] {
      let file = FileLocation(bytes: strange.beginning + Array(name.utf8))
      let descriptor = file.withCString { open($0, O_CREAT | O_WRONLY, 0o600) }
      #expect(write(descriptor, "c.log\n", 6) == 6)
      close(descriptor)
    }
    #expect(found { $0.ignoreFile = ".gitignore" } == ["b.log", "y\u{FFFD}/d.log"])
    // A pipe that nobody writes to is not waited for.
    #expect(mkfifo(scratch.path(".pipe"), 0o600) == 0)
    #expect(found { $0.ignoreFile = ".pipe" }.count == 5)
  }
}
