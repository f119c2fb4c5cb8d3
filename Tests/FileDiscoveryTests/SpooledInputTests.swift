import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import FileDiscovery

@Suite("An input that can be read only once")
struct SpooledInputTests {
  @Test("is one by any path to a descriptor of this process, and by no other")
  func descriptors() throws {
    let scratch = try ScratchDirectory()
    let link = scratch.path("link")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "/proc/self/fd/63")
    for (path, number): (String, Int32?) in [
      ("-", 0), ("/dev/stdin", 0), ("/dev/fd/0", 0), ("/dev//fd/63", 63), ("/dev/../dev/fd/9", 9),
      ("/proc/self/fd/3", 3), ("/proc/\(getpid())/fd/3", 3), ("/proc/thread-self/fd/4", 4),
      (link, 63), ("/proc/1/fd/3", getpid() == 1 ? 3 : nil), ("/dev/fd/x", nil), ("/dev/fd", nil),
      ("/dev/fd/99999999999", nil), ("/dev/null", nil), ("63", nil), (scratch.path("63"), nil),
      ("", nil), (scratch.path("none/3"), nil),
    ] {
      #expect(SpooledInput.descriptor(of: FileLocation(path)) == number, "\(path)")
    }
  }

  @Test("is stored whole and goes by what the user called it, which hoist's own descriptors do not")
  func kept() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("file", Array("content".utf8))
    SpooledInput.noteInherited()
    var file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    // Other tests of this process may have had one of the same number when the inherited ones were noted.
    while SpooledInput.isInherited(file) {
      let other = fcntl(file, F_DUPFD_CLOEXEC, file + 1)
      close(file)
      file = other
    }
    try #require(file >= 0)
    #expect(!SpooledInput.isInherited(file) && SpooledInput.isInherited(STDERR_FILENO))
    let stored = try #require(
      try SpooledInput.keep(
        file, as: "/dev/fd/63", in: scratch.path, until: CancellationToken()))
    #expect(FileManager.default.contents(atPath: stored.description) == Data("content".utf8))
    #expect(SpooledInput.argument(at: stored) == "/dev/fd/63" && SpooledInput.holds(stored))
    #expect(
      !SpooledInput.holds(FileLocation("/dev/fd/\(file)")) && !SpooledInput.holds("/dev/fd/63"))
    #expect(throws: InputError.self) {
      try SpooledInput.keep(4_000_000, in: scratch.path, until: CancellationToken())
    }
  }
}
