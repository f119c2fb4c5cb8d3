import ScalarText

/// A line of text with completion, for paths or commands.
struct LinePrompt: Hashable, Sendable {
  private(set) var field = TextField()
  /// The completions of the text before the cursor, once they have arrived.
  private(set) var candidates: [String] = []
  /// The index of the candidate in the prompt, while the user steps through the candidates.
  private(set) var chosen: Int?
  /// The text before the cursor when the user began to step through the candidates.
  private(set) var typed = ""
  /// What comes before the part of the line that the candidates complete.
  private(set) var before = ""
  /// Whether the last request found no completion.
  private(set) var hasNoMatch = false
  /// What the line would add, once that is known.
  var preview: AddPreview?
  /// Whether a candidate has been inserted. Since candidates are literal, the line is then not parsed as in a shell.
  private var isCompleted = false

  init(_ text: String = "") { field.set(text) }

  /// Changes the text and discards the completions of the old text.
  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&field)
    preview = nil
    candidates = []
    chosen = nil
    hasNoMatch = false
  }

  /// If there are several candidates, inserts the next one and returns `nil`. If not, returns the text to complete.
  mutating func complete(step: Int) -> String? {
    guard candidates.count > 1 else { return field.head }
    let start = step > 0 ? -1 : candidates.count
    choose(((chosen ?? start) + step + candidates.count) % candidates.count)
    return nil
  }

  /// Steps through the candidates or, if none has been chosen yet, through these. Beyond both ends is what was typed.
  mutating func step(_ step: Int, through answers: [String]) {
    if chosen == nil { (candidates, typed, before) = (answers, field.head, "") }
    let places = candidates.count + 1
    let next = ((chosen ?? -1) + 1 + step + places) % places - 1
    guard next < 0 else { return choose(next) }
    field.replaceHead(with: typed)
    (chosen, candidates) = (nil, [])
  }

  /// Goes on with the chosen candidate as if it had been typed, with a blank after it if an argument can follow.
  mutating func take(beforeArgument: Bool) {
    edit { if beforeArgument { $0.insert(" ") } }
  }

  private mutating func choose(_ index: Int) {
    if chosen == nil { typed = field.head }
    chosen = index
    put(candidates[index])
  }

  /// Takes the completions for `text`; returns false if there are no completions. A single candidate, or the only one
  /// that starts with the text, is inserted. If there are several, their common prefix is inserted and the list is
  /// shown. If they are ranked and none starts with the text, the first one, which is the best, is inserted.
  mutating func offer(
    _ answers: [String], for text: String, after before: String = "", isRanked: Bool = false
  ) -> Bool {
    // If the user has typed on, the answer is outdated.
    guard text == field.head else { return true }
    (chosen, self.before) = (nil, before)
    hasNoMatch = answers.isEmpty
    // `~` may have been expanded, and a word found by any part of it, so candidates need not start with the text.
    var begun = answers.filter { $0.hasPrefix(scalars: text) }
    if begun.isEmpty { begun = answers }
    candidates = begun.count > 1 ? answers : []
    if isRanked, begun == answers, begun.count > 1, !begun[0].hasPrefix(scalars: text) {
      choose(0)
      return true
    }
    guard let first = begun.first else { return false }
    let common = begun.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    if common.unicodeScalars.count > text.unicodeScalars.count || begun.count == 1 { put(common) }
    return true
  }

  private mutating func put(_ candidate: String) {
    field.replaceHead(with: candidate)
    preview = nil
    isCompleted = true
  }

  /// The paths to add: usually the whole line as one path, including its blanks. Only a line that starts with a quote,
  /// or has a backslash before a blank, is parsed as in a shell.
  var paths: [PathInput] {
    let text = field.text
    if text.allSatisfy(\.isWhitespace) { return [] }
    let isForShell =
      text.hasPrefix(scalars: "'") || text.hasPrefix(scalars: "\"") || text.contains(scalars: "\\ ")
    return isForShell && !isCompleted ? PastedPaths.typed(text) : [.typed(text)]
  }
}

extension String {
  /// The prefix that both texts share.
  func sharedPrefix(with other: String) -> String {
    var shared = String.UnicodeScalarView()
    for (one, other) in zip(unicodeScalars, other.unicodeScalars) {
      guard one == other else { break }
      shared.append(one)
    }
    return String(shared)
  }
}

struct CommandPrompt: Sendable {
  var line = LinePrompt()
  /// The index of the earlier line that is shown; `nil` while a new line is being typed.
  var earlier: Int?
  /// Whether the choice that is lit was reached with the arrows, so that Tab takes it.
  var isPointing = false
  /// The theme that was chosen before, which comes back if the line chooses none.
  let theme: Theme?
}

struct FindPrompt: Sendable {
  var field = TextField()
  /// Whether rows that do not match are hidden.
  let isFilter: Bool
  /// The cursor position and the filter to go back to on Esc.
  let cursor: Int
  let filter: String
}
