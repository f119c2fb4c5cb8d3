import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("File names that are not what they seem")
  struct ScreenNameTests {
    /// A name, what the screen shows of it, and what is sent (WHATWG multipart/form-data encoding).
    static let names: [(name: String, shown: String, sent: String)] = [
      ("say \"hi\".txt", "say \"hi\".txt", "say %22hi%22.txt"),
      ("two\nlines.txt", "two␊lines.txt", "two%0Alines.txt"),
      ("back\rfront.txt", "back␍front.txt", "back%0Dfront.txt"),
      ("tower 🗼.txt", "tower 🗼.txt", "tower 🗼.txt"),
      ("\u{1B}]0;owned\u{07}title.txt", "␛]0;owned␇title.txt", "\u{1B}]0;owned\u{07}title.txt"),
      ("\u{1B}[2Jclear.txt", "␛[2Jclear.txt", "\u{1B}[2Jclear.txt"),
      ("8bit\u{9B}31m.txt", "8bit\u{FFFD}31m.txt", "8bit\u{9B}31m.txt"),
      ("gpj.\u{202E}exe", "gpj.\u{FFFD}exe", "gpj.\u{202E}exe"),
      (
        String(repeating: "long", count: 49) + ".txt", "longlong",
        String(repeating: "long", count: 49) + ".txt"
      ),
    ]

    @Test("are shown so that they do no harm, and sent as they are")
    func hostile() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let folder = person.folder.path("names")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, _, _) in Self.names { try person.folder.write("names/\(name)", Array(name.utf8)) }

      let terminal = try await person.terminal(columns: 140)
      let recording = person.folder.path("recording")
      try await terminal.record(to: recording)
      try await terminal.command("cd names; hoist * --to \(server.url().absoluteString)")
      let screen = try await terminal.wait(for: "\(Self.names.count) ok")
      for (_, shown, _) in Self.names {
        #expect(screen.shows("✓ \(shown)"), "\(shown)\n\(screen.text)")
      }
      #expect(screen.rows.filter { $0.contains("done 200 OK") }.count >= Self.names.count)
      // What came to the terminal: none of the names' own sequences, in no form.
      let written = try await wait(for: "the end in the recording") {
        let written = String(decoding: try bytes(recording), as: UTF8.self)
        return written.contains("done 200 OK") ? written : nil
      }
      for sequence in ["\u{1B}]0;owned", "\u{1B}[2Jclear", "\u{9B}", "\u{202E}"] {
        #expect(!written.unicodeScalars.contains(Array(sequence.unicodeScalars)))
      }
      #expect(try await terminal.ask("#{pane_title}") != "owned")

      // Leaving says nothing harmful either.
      try await terminal.press("q")
      try await terminal.wait(for: "\(Self.names.count) of \(Self.names.count) files sent")

      for (name, _, sent) in Self.names {
        let request = server.requests.first {
          String(decoding: $0.body, as: UTF8.self).contains("filename=\"\(sent)\"\r\n")
        }
        let body = String(decoding: try #require(request, "\(sent)").body, as: UTF8.self)
        #expect(body.contains("\r\n\r\n\(name)\r\n--"), "\(name)")
      }
    }

    @Test("that are not UTF-8 are chosen with b; the file goes under its name, byte for byte")
    func invalid() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let made = try person.shell("printf 'what is in it' > \"$(printf 'caf\\351 \\377.txt')\"")
      #expect(try await made.end().status == 0)
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(server.url().absoluteString)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("b")
      try await terminal.wait(for: "caf\u{FFFD} \u{FFFD}.txt")
      // Behind the folders, such as that of hoist's socket.
      try await terminal.press("G")
      try await terminal.wait(until: "the cursor is on it") {
        $0.row(with: "caf\u{FFFD}")?.contains("▌") == true
      }
      try await terminal.press("a")
      try await terminal.wait(for: "✓ caf\u{FFFD} \u{FFFD}.txt")
      let body = try #require(server.requests.first).body
      // Latin-1 reads every byte as one character.
      let text = try #require(String(bytes: body, encoding: .isoLatin1))
      #expect(text.contains("filename=\"caf\u{E9} \u{FF}.txt\"\r\n"), "\(text)")
      #expect(text.contains("\r\n\r\nwhat is in it\r\n--"), "\(text)")
    }

    @Test("A reply that would take the terminal over is only shown")
    func reply() async throws {
      let person = try Person()
      let text = "{\"a\": \"\u{1B}[2J\u{1B}]0;owned\u{07}\u{9B}31m\u{202E}\", \"b\": [1]}"
      let server = try HostileServer.answering(
        "HTTP/1.1 422 Odd\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      defer { server.stop() }
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal()
      let recording = person.folder.path("recording")
      try await terminal.record(to: recording)
      try await terminal.command("hoist a.txt --to \(server.url().absoluteString)")
      try await terminal.wait(for: "1 failed")
      try await terminal.press("Enter")
      try await terminal.wait(until: "the details") {
        $0.shows("Path ") && $0.shows("␛[2J␛]0;owned␇")
      }
      let written = try await wait(for: "the reply in the recording") {
        let written = String(decoding: try bytes(recording), as: UTF8.self)
        return written.contains("␛[2J␛]0;owned␇") ? written : nil
      }
      for sequence in ["\u{1B}]0;owned", "\u{1B}[2J\u{1B}]", "\u{9B}", "\u{202E}"] {
        #expect(!written.unicodeScalars.contains(Array(sequence.unicodeScalars)))
      }
      #expect(try await terminal.ask("#{pane_title}").contains("hoist"))
    }

    @Test("are safe in the lines of push, and whole in its JSON")
    func plain() async throws {
      let person = try Person()
      let server = try HostileServer.answering(
        "HTTP/1.1 413 Nope\r\nContent-Length: 12\r\n\r\n\u{1B}[31mred\u{07}\r\n!")
      defer { server.stop() }
      let name = "\u{1B}]0;owned\u{07}\n.txt"
      try person.folder.write(name, [1])
      let url = server.url().absoluteString
      let lines = try await person.run("push", name, "--to", url)
      #expect(lines.status == 1)
      #expect(lines.errors.contains("✗ ␛]0;owned␇␊.txt: 413"), "\(lines.errors)")
      #expect(lines.errors.contains("␛[31mred"), "\(lines.errors)")
      #expect(!lines.errors.contains("\u{1B}"))
      let events = try await person.run("push", name, "--to", url, "--json").events()
      #expect(try events.end(of: name).text("cause") == "http-413")
    }
  }
}
