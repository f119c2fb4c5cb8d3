/// A few things of which one is chosen.
struct Menu: Sendable {
  enum Purpose: Sendable {
    case target
    case sort
  }

  let purpose: Purpose
  let choices: [String]
  /// What is to be known of each choice, such as where a target lies; empty for none.
  let notes: [String]
  /// What the choices that are seen hold; there can be many targets.
  private(set) var filter = TextField()
  /// Which of the choices are seen.
  private(set) var shown: [Int]
  var list = ListState()

  init(purpose: Purpose, choices: [String], notes: [String] = []) {
    (self.purpose, self.choices, self.notes) = (purpose, choices, notes)
    shown = Array(choices.indices)
  }

  /// Whether what is typed narrows the choices down.
  var isFiltered: Bool { purpose == .target }

  mutating func edit(height: Int, _ change: (inout TextField) -> Void) {
    change(&filter)
    let matcher = Matcher(filter.text)
    shown = choices.indices.filter { matcher.matches(choices[$0]) || matcher.matches(note($0)) }
    list.move(to: 0, of: shown.count, height: height)
  }

  func note(_ index: Int) -> String { notes.indices.contains(index) ? notes[index] : "" }

  /// The choice under the cursor; `nil` where none is seen.
  var chosen: Int? { shown.indices.contains(list.cursor) ? shown[list.cursor] : nil }

  var title: String {
    switch purpose {
    case .target: "Where files go that are added from now on"
    case .sort: "Sort the queue"
    }
  }
}
