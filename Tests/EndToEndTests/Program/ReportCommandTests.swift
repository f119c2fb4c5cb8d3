import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("hoist report")
  struct ReportCommandTests {
    /// What a browser shows of a page.
    private struct Look: Decodable {
      var text: String
      var links: [String]
      var backgrounds: [String]
      var requests: [String]
      var faults: [String]
    }

    @Test("a browser shows what was sent and what failed, in light and dark, and asks for nothing")
    func page() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--max-file-bytes", "1kB")
      try person.folder.write("<b>größe & 'co'.txt", Array("small".utf8))
      try person.folder.write("large.bin", count: 5_000)
      let pushed = try await person.run(
        "push", "./<b>größe & 'co'.txt", "large.bin", "--to", inbox.url)
      #expect(pushed.status == 1)
      let made = try await person.run("report", "-o", "page.html")
      #expect(
        made.status == 0 && made.errors.contains("page.html: 2 files, 1 sent, 1 failed"), "\(made)")
      let printed = try await person.run("report", "--since", "today").output
      #expect(printed.hasPrefix("<!DOCTYPE html>") && printed.hasSuffix("</html>\n"))

      let file = person.folder.path("page.html")
      let told = try TestSupport.Peer.run(
        Repository.root + "/.build/peers/bin/python3",
        [Repository.root + "/Tests/EndToEndTests/Peers/look.py", file])
      let look = try JSONDecoder().decode(Look.self, from: Data(told.utf8))
      #expect(look.faults == [] && look.requests.count == 1, "\(look)")
      #expect(Set(look.backgrounds).count == 2)
      #expect(look.links.count == 1 && look.links[0].hasPrefix(inbox.url.prefix(20)))
      for words in ["413 Content Too Large", "large.bin", "Retrying will not help"] {
        #expect(look.text.contains(words), "\(words) in \(look.text)")
      }
    }

    @Test("a time without attempts has a page, and a wrong time none")
    func times() async throws {
      let person = try Person()
      let none = try await person.run("report", "--until", "2d")
      #expect(none.status == 0 && none.output.contains("Nothing was sent"))
      let wrong = try await person.run("report", "--since", "soon", "-o", "page.html")
      #expect(wrong.status == 2 && wrong.errors.contains("--since soon"))
      #expect(!FileManager.default.fileExists(atPath: person.folder.path("page.html")))
      #expect(try await person.run("report", "-o", "no/page.html").status == 1)
    }
  }
}
