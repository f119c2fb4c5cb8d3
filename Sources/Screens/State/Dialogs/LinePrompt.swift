import ScalarText

/// A line of text and what it can be completed to: a path, or a command.
struct LinePrompt: Hashable, Sendable {
  private(set) var field = TextField()
  /// What the text before the cursor can become, when that was asked for.
  private(set) var candidates: [String] = []
  /// The candidate that stands in the prompt, while the person goes through them.
  private(set) var chosen: Int?
  /// Whether the last question had no answer.
  private(set) var hasNoMatch = false
  /// What it would add, once that is known.
  var preview: AddPreview?
  /// Whether a candidate has been put in: names come as they are, whatever is in them.
  private var isCompleted = false

  init(_ text: String = "") { field.set(text) }

  /// Changes the text; what was offered for the text before is gone.
  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&field)
    preview = nil
    candidates = []
    chosen = nil
    hasNoMatch = false
  }

  /// Asks for the next completion: the text to complete, or `nil` where a candidate was put in.
  mutating func complete(step: Int) -> String? {
    guard candidates.count > 1 else { return field.head }
    let start = step > 0 ? -1 : candidates.count
    let next = ((chosen ?? start) + step + candidates.count) % candidates.count
    chosen = next
    put(candidates[next])
    return nil
  }

  /// Takes the answer for `text`; returns whether it was of use.
  ///
  /// One candidate is put in. Of several the common beginning is put in, and the list is shown.
  mutating func offer(_ answers: [String], for text: String) -> Bool {
    // The person has typed on: the answer is to a question that no longer stands.
    guard text == field.head else { return true }
    chosen = nil
    hasNoMatch = answers.isEmpty
    candidates = answers.count > 1 ? answers : []
    guard let first = answers.first else { return false }
    let common = answers.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    // `~` may have been expanded, so what comes back need not begin with what is there.
    if common.count > text.count || answers.count == 1 { put(common) }
    return true
  }

  private mutating func put(_ candidate: String) {
    field.replaceHead(with: candidate)
    preview = nil
    isCompleted = true
  }

  /// What the person asks to have added: one path, blanks and all. Only a line that begins with a
  /// quote, or has a backslash before a blank, is meant as for a shell.
  var paths: [PathInput] {
    let text = field.text
    if text.allSatisfy(\.isWhitespace) { return [] }
    let isForShell =
      text.hasPrefix(scalars: "'") || text.hasPrefix(scalars: "\"") || text.contains(scalars: "\\ ")
    return isForShell && !isCompleted ? PastedPaths.typed(text) : [.typed(text)]
  }
}

extension String {
  /// What both texts begin with.
  func sharedPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
