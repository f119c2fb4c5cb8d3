import Foundation
import TestSupport
import Testing

/// A failure, what a person mends on its advice, and the command or the key that sends the file again.
struct AdviceStory: Sendable {
  /// How the file is sent.
  enum Way: Sendable {
    /// By `hoist push`; the summary says how to send it again.
    case push
    /// The same, as a process of its own, for its environment, its time limits, or its rights.
    case program
    /// The same, and it is interrupted.
    case interrupted
    /// By `hoist add` and `hoist send`, and again by `hoist queue retry` and `hoist send`.
    case queue
    /// On the screen, and again by a key.
    case screen
  }

  var way = Way.push
  /// The key that sends the files again.
  var key = "r"
  /// The files are made by this line of shell.
  var files = "head -c 1000 /dev/urandom > a.bin"
  var arguments = ["a.bin"]
  /// The target's URL and the rest of its table. SERVER stands for the server's address, OTHER for the same address with
  /// another host name, PLACE for its host and port.
  var url = "SERVER/u"
  var table = ""
  var options: [String] = []
  /// A line of shell that runs after the file was queued.
  var meanwhile: String?
  var variables: [String: String] = [:]
  var early: AdviceServer.Early?
  /// Whether nothing listens before the server is mended.
  var startsLate = false
  /// How many files the server has after the failure.
  var before = 0

  // What the person does. The server is mended, too.
  var mendedURL: String?
  var mendedTable: String?
  /// A line of shell.
  var mend: String?
  var mendedVariables: [String: String]?
  /// Whether the person deletes what the server has.
  var clears = false
  /// What is added to the command that the summary recommends.
  var adding: [String] = []
  /// The command, if the summary recommends none.
  var command: [String]?
  /// Whether the command is carried out although the file may have arrived.
  var evenArrived = false

  /// The addresses at which the server has the files in the end, sorted, and the paths of the files here.
  var after = ["/u"]
  var sent = ["a.bin"]
  var script: AdviceServer.Script

  /// Carries it out. The advice about the failure must end as the row's does.
  func run(_ row: AdviceRow) async throws {
    let person = try Person()
    let port = startsLate ? try HostileServer.closedPort() : 0
    var server = startsLate ? nil : try AdviceServer(early: early, script)
    defer { server?.stop() }
    let address = server?.address ?? "http://127.0.0.1:\(port)"
    try await shell(files, person)
    try configure(person, url, table, address)

    let (failed, words) = try await fail(person, server, address, row)
    #expect(
      failed.contains { $0.cause == row.failure.code && $0.message.hasSuffix(row.lastSentence) },
      "\(row.failure.code), …\(row.lastSentence)\nfound: \(failed)\n\(words)")
    #expect(server?.copies.count ?? 0 == before, "\(words)")

    if let mend { try await shell(mend, person) }
    if mendedURL != nil || mendedTable != nil {
      try configure(person, mendedURL ?? url, mendedTable ?? table, address)
    }
    if clears { server?.clear() }
    if server == nil { server = try AdviceServer(port: port, script) }
    server?.mend()
    let told = try await again(person, server, address, words)
    let copies = server?.copies ?? []
    #expect(
      copies.map(\.address).sorted() == after.map { Self.filled($0, address) }, "\(told)\n\(words)")
    let files = try sent.map { try Array(bytes(person.folder.path($0))) }
    #expect(
      Self.sorted(copies.map(\.bytes)).elementsEqual(Self.sorted(files)),
      "other bytes than those of \(sent)")
  }

  /// The same on the screen, where a key sends the files again.
  func runOnScreen() async throws {
    let person = try Person()
    let server = try AdviceServer(early: early, script)
    defer { server.stop() }
    try await shell(files, person)
    try configure(person, url, table, server.address)
    let terminal = try await person.terminal()
    try await terminal.command("hoist --to t \(arguments.joined(separator: " "))")
    try await terminal.wait(for: "1 failed")
    #expect(server.copies.isEmpty)
    if let mend { try await shell(mend, person) }
    server.mend()
    try await terminal.press(key)
    try await terminal.wait(for: "\(sent.count) ok")
    #expect(server.copies.map(\.address).sorted() == after)
    let files = try sent.map { try Array(bytes(person.folder.path($0))) }
    #expect(Self.sorted(server.copies.map(\.bytes)).elementsEqual(Self.sorted(files)))
  }

  private struct Failed: Decodable {
    var cause: String
    var message: String
  }

  private struct Report: Decodable {
    struct File: Decodable {
      var cause: String?
      var message: String?
    }
    var files: [File]
  }

  /// Sends the files for the first time. Returns what failed, and everything that was said.
  private func fail(
    _ person: Person, _ server: AdviceServer?, _ address: String, _ row: AdviceRow
  ) async throws -> ([Failed], String) {
    let push = ["push"] + arguments + ["--to", "t", "--report", "r.json"] + options
    switch way {
    case .push, .program, .interrupted:
      var outcome: Program.Outcome
      if case .push = way {
        outcome = try await person.run(push, variables: variables)
      } else {
        let program = try self.program(push, person, variables, address)
        if case .interrupted = way {
          await server?.stalled()
          try await program.interrupt(SIGINT)
        }
        outcome = try await program.end()
      }
      #expect(outcome.status == (row.kind == .cancelled ? 130 : 1), "\(outcome)")
      let report = try JSONDecoder().decode(
        Report.self, from: bytes(person.folder.path("r.json")))
      let failed = report.files.compactMap { file in
        file.cause.map { Failed(cause: $0, message: file.message ?? "") }
      }
      return (failed, outcome.errors)
    case .queue:
      let added = try await person.run(["add", "--to", "t"] + arguments)
      #expect(added.status == 0, "\(added)")
      if let meanwhile { try await shell(meanwhile, person) }
      let sent = try await person.hoist("send").end()
      let queue = try await person.run("queue", "--json")
      let failed = queue.output.split(separator: "\n").compactMap {
        try? JSONDecoder().decode(Failed.self, from: Data($0.utf8))
      }
      return (failed, "\(sent)\(queue)")
    case .screen: return ([], "")  // See `runOnScreen`.
    }
  }

  /// Does what the advice says. Returns what was said then.
  private func again(
    _ person: Person, _ server: AdviceServer?, _ address: String, _ words: String
  ) async throws -> String {
    if case .queue = way {
      let queued = try await person.run("queue", "retry")
      #expect(queued.status == 0, "\(queued)")
      let sent = try await person.hoist("send").end()
      #expect(sent.status == 0, "\(sent)")
      return "\(sent)"
    }
    var line: [String]
    if let command {
      line = command
    } else {
      let command = try #require(
        words.firstMatch(of: /hoist (push --retry-failed r\.json[^(;\n]*)/), "\(words)")
      line = command.1.split(separator: " ").map(String.init)
      // A person who follows the advice has looked before adding this.
      let isAfterLook = line.contains("--even-arrived")
      #expect(isAfterLook == (before > 0 && !clears && arguments.count == 1), "\(words)")
      if !evenArrived { line.removeAll { $0 == "--even-arrived" } }
    }
    line += adding.map { Self.filled($0, address) }
    let outcome: Program.Outcome
    if case .push = way {
      outcome = try await person.run(line, variables: mendedVariables ?? variables)
    } else {
      outcome =
        try await program(line, person, mendedVariables ?? variables, address, isBound: false)
        .end()
    }
    let isLeftOut = before > 0 && !clears && !evenArrived && command == nil && arguments.count == 1
    #expect(outcome.status == (isLeftOut ? 1 : 0), "\(line): \(outcome)")
    return "\(outcome)"
  }

  private func program(
    _ line: [String], _ person: Person, _ variables: [String: String], _ address: String,
    isBound: Bool = true
  ) throws -> Program {
    let variables = variables.mapValues { Self.filled($0, address) }
    let bound = isBound ? Person.bound.split(separator: " ").map(String.init) : []
    return try Program(
      "env", bound + ["\(Person.binaries)/hoist"] + line,
      environment: person.environment.merging(variables) { $1 }, directory: person.folder.path)
  }

  private func configure(
    _ person: Person, _ url: String, _ table: String, _ address: String
  ) throws {
    let attempts = table.contains("retry = ") ? "" : "retry = { attempts = 1 }"
    let text = [
      "[targets.t]", url.isEmpty ? "" : "url = \"\(url)\"", attempts, table, "",
    ].joined(separator: "\n")
    try person.configure(Self.filled(text, address))
  }

  private static func filled(_ text: String, _ address: String) -> String {
    text.replacing("SERVER", with: address)
      .replacing("PLACE", with: address.replacing("http://", with: ""))
      .replacing("OTHER", with: address.replacing("127.0.0.1", with: "localhost"))
  }

  private static func sorted(_ files: [[UInt8]]) -> [[UInt8]] {
    files.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func shell(_ line: String, _ person: Person) async throws {
    let outcome = try await person.shell(line).end()
    #expect(outcome.status == 0, "\(line): \(outcome)")
  }
}
