import Commands
import Foundation
import TestSupport
import Testing

@Suite("A file that must get its name back") struct RenameGuardTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  @Test("gets it if the process is killed")
  func killed() async throws {
    try folder.write("hidden", count: 1)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      _ = RenameGuard(renaming: "\(path)/hidden", to: "\(path)/name")
      kill(getpid(), SIGKILL)
    }
    try await wait(for: "its name") { try names == ["name"] ? true : nil }
  }

  @Test("does not get it if that is not wanted any more")
  func ended() throws {
    try folder.write("hidden", count: 1)
    let rescue = try #require(
      RenameGuard(renaming: folder.path("hidden"), to: folder.path("name")))
    rescue.end()
    #expect(try names == ["hidden"])
  }
}
