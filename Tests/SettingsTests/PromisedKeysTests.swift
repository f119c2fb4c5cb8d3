import Foundation
import TestSupport
import Testing
import UploadModel

@testable import Settings

@Suite("docs/promises.md")
struct PromisedKeysTests {
  @Test("it names each key that a target may have, and no other")
  func keys() throws {
    let page = try String(
      contentsOfFile: "\(Repository.root)/docs/promises.md", encoding: .utf8)
    let rest = try #require(page.components(separatedBy: "### Keys of a target\n").last)
    let section = try #require(rest.components(separatedBy: "\n#").first)
    let named = section.matches(of: /`([a-z_]+)`/).map { String($0.1) }
    // A type is not an option: it stands for others.
    #expect(named == (Schema<Target>.target.names + ["type"]).sorted())
  }
}
