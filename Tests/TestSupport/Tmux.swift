import Foundation

/// A shell in a real terminal: tmux, with a server of its own that ends with the test.
public final class Tmux: Sendable {
  /// What the terminal shows.
  public struct Screen: Sendable {
    /// The rows without the blanks at their ends.
    public let rows: [String]

    /// Whether it is to be read anywhere, within one row.
    public func shows(_ text: String) -> Bool { rows.contains { $0.contains(text) } }

    /// Whether it is to be read anywhere, also where a row ends within it. A row's last blank is not to be seen.
    public func says(_ text: String) -> Bool {
      func dense(_ text: String) -> String { text.filter { !$0.isWhitespace } }
      return dense(self.text).contains(dense(text))
    }

    /// The first row in which it is to be read.
    public func row(with text: String) -> String? { rows.first { $0.contains(text) } }

    /// All rows, for people.
    public var text: String { rows.joined(separator: "\n") }
  }

  /// The prompt of the shell.
  public static let prompt = "READY>"
  private let client: TmuxClient

  /// Starts a shell in a terminal of this size and waits for its prompt.
  public init(
    columns: Int = 120, rows: Int = 40, environment: [String: String], directory: String
  ) async throws {
    client = try TmuxClient(
      [
        "new-session", "-x", "\(columns)", "-y", "\(rows)", "-c", directory,
        "bash", "--norc", "--noprofile", "-i",
      ],
      environment: environment.merging(
        ["PS1": "\(Self.prompt) ", "TERM": "xterm-256color"], uniquingKeysWith: { $1 }))
    await client.attached()
    try await waitForShell()
  }

  // Whatever still runs in the terminal gets SIGHUP, as when a person closes the window.
  deinit { client.end() }

  /// Types text as it is.
  public func type(_ text: String) async throws {
    // By bytes, for tmux takes no others than those of UTF-8 from a text, and no line is too long.
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try await client.run(
        ["send-keys", "-H"] + rest.prefix(1000).map { String($0, radix: 16) })
      rest = rest.dropFirst(1000)
    }
  }

  /// Presses keys by tmux's names, such as `Enter`, `Tab`, `C-c`, `a`.
  public func press(_ keys: String...) async throws {
    try await client.run(["send-keys", "--"] + keys)
  }

  /// Clicks on the last place where a text is to be read, once it is there, as a mouse does (SGR mode 1006).
  public func click(on text: String) async throws {
    let screen = try await wait(for: text)
    guard let row = screen.rows.lastIndex(where: { $0.contains(text) }),
      let place = screen.rows[row].range(of: text, options: .backwards)
    else { return }
    let column = screen.rows[row][..<place.lowerBound].count
    let position = "\(column + 1);\(row + 1)"
    try await type("\u{1B}[<0;\(position)M\u{1B}[<0;\(position)m")
  }

  /// Types a command and presses Enter.
  public func command(_ text: String) async throws {
    try await type(text)
    try await press("Enter")
  }

  /// Waits until the shell asks for a command. An earlier prompt may be seen before that, when a program has left its own
  /// screen and still reads keys.
  @discardableResult
  public func waitForShell() async throws -> Screen {
    try await wait(until: "the prompt") { $0.rows.last { !$0.isEmpty } == Self.prompt }
  }

  /// Empties the terminal at once, so that what is waited for next is not what an earlier command left there. First waits
  /// for the shell.
  public func clear() async throws {
    try await waitForShell()
    try await client.run(["send-keys", "-R"])
  }

  /// Gives the terminal another size, as dragging its window does.
  public func resize(columns: Int, rows: Int) async throws {
    try await client.run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// What it shows now.
  public func screen() async throws -> Screen {
    let output = try await client.look(["capture-pane", "-p"])
    return Screen(
      rows: output.components(separatedBy: "\n").map {
        var row = $0
        while row.last == " " { row.removeLast() }
        return row
      })
  }

  /// Keeps every byte that programs write to the terminal from now on in a file.
  public func record(to file: String) async throws {
    try await client.run(["pipe-pane", "cat > '\(file)'"])
    // Its shell makes the file some moments later.
    try await TestSupport.wait(for: file) { access(file, F_OK) == 0 ? true : nil }
  }

  /// Sets an option of the terminal's server, such as `set-clipboard` to `on`.
  public func set(_ option: String, to value: String) async throws {
    try await client.run(["set", "-s", option, value])
  }

  /// What was copied last.
  public func clipboard() async throws -> String { try await client.run(["show-buffer"]) }

  /// Pastes text as a terminal does, marked as a paste where the program has asked for that.
  public func paste(_ text: String) async throws {
    try await client.run(["set-buffer", "-b", "paste", "--", text])
    try await client.run(["paste-buffer", "-p", "-b", "paste"])
  }

  /// What it shows now, with the escape sequences that would draw it, each row with an end.
  public func painting() async throws -> String {
    try await client.look(["capture-pane", "-p", "-e", "-N"]) + "\n"
  }

  /// Something that tmux knows about the terminal, such as `#{alternate_on}`.
  public func ask(_ format: String) async throws -> String {
    try await client.run(["display-message", "-p", format])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until text is to be read within one row.
  @discardableResult
  public func wait(for text: String, seconds: Double = 60) async throws -> Screen {
    try await wait(until: "\"\(text)\" on the screen", seconds: seconds) { $0.shows(text) }
  }

  /// Waits until the screen is as `state` wants it.
  @discardableResult
  public func wait(
    until what: String, seconds: Double = 60, _ state: @Sendable (Screen) -> Bool
  ) async throws -> Screen {
    let limit = ContinuousClock.now + .seconds(seconds)
    while true {
      let seen = client.changes
      let screen = try await screen()
      if state(screen) { return screen }
      guard .now < limit else {
        throw WaitedInVain(
          description: "waited \(Int(seconds)) seconds in vain for \(what)\n\(screen.text)")
      }
      await client.change(after: seen)
    }
  }
}
