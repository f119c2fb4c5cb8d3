/// A menu of a few choices.
struct Menu: Sendable {
  enum Purpose: Hashable, Sendable {
    case target
    /// A value of the form below.
    case form(Form.Field)
    case sort
    /// With the theme that was chosen before, which is restored if none is.
    case theme(Theme?)
    /// The actions on a row.
    case actions([Action.Name])
  }

  let purpose: Purpose
  private(set) var choices: [String]
  /// A note on each choice, such as a target's URL; empty if the choice has no note.
  private(set) var notes: [String]
  /// Only choices that contain this text are visible, since there can be many targets.
  private(set) var filter = TextField()
  /// Which of the choices are visible.
  private(set) var shown: [Int]
  var list = ListState()
  /// Whether the last choice makes a new target.
  private var makesNew = false

  /// Where the mouse opened the menu; nil if the menu is in the middle of the screen.
  private(set) var place: (row: Int, column: Int)?

  init(
    purpose: Purpose, choices: [String], notes: [String] = [], place: (row: Int, column: Int)? = nil
  ) {
    (self.purpose, self.choices, self.notes, self.place) = (purpose, choices, notes, place)
    shown = Array(choices.indices)
  }

  /// A menu of the targets. With `makesNew`, its last choice makes a new one.
  init(targets: [TargetRow], makesNew: Bool) {
    self.init(
      purpose: .target, choices: targets.map(\.name) + (makesNew ? ["new target…"] : []),
      notes: targets.map(\.url) + (makesNew ? ["asks for its URL"] : []))
    self.makesNew = makesNew
  }

  /// A menu of the values that a row of a form can have.
  init(for field: Form.Field, _ choices: [(name: String, note: String)]) {
    self.init(purpose: .form(field), choices: choices.map(\.name), notes: choices.map(\.note))
  }

  /// Replaces the targets; the cursor stays on its target.
  mutating func update(targets: [TargetRow], height: Int) {
    let name = chosen.map { choices[$0] }
    var menu: Menu
    switch purpose {
    case .target: menu = Menu(targets: targets, makesNew: makesNew)
    case .form(.target): menu = Menu(for: .target, targets.map { ($0.name, $0.url) })
    default: return
    }
    menu.filter = filter
    menu.narrow(height: height)
    let row = menu.shown.firstIndex { menu.choices[$0] == name }
    menu.list.move(to: row ?? list.cursor, of: menu.shown.count, height: height)
    self = menu
  }

  func isNew(_ choice: Int) -> Bool { makesNew && choice == choices.count - 1 }

  /// Whether typing narrows down the choices.
  var isFiltered: Bool {
    switch purpose {
    case .target, .form, .sort: true
    case .theme, .actions: false
    }
  }

  /// Whether what is behind the menu keeps its colours, since they are what is chosen.
  var showsColors: Bool { if case .theme = purpose { true } else { false } }

  mutating func edit(height: Int, _ change: (inout TextField) -> Void) {
    change(&filter)
    narrow(height: height)
  }

  private mutating func narrow(height: Int) {
    // The choice of a new target is always visible.
    let known = choices.indices.filter { !isNew($0) }
    shown =
      known.ranked(by: Matcher(filter.text)) { [choices[$0], note($0)] }
      + choices.indices.filter(isNew)
    list.move(to: 0, of: shown.count, height: height)
  }

  func note(_ index: Int) -> String { notes.indices.contains(index) ? notes[index] : "" }

  /// The choice under the cursor; `nil` if none is visible.
  var chosen: Int? { shown.indices.contains(list.cursor) ? shown[list.cursor] : nil }

  var title: String {
    switch purpose {
    case .target: "Where to send files added from now on"
    case .form(.service): "What kind of server is it?"
    case .form: "Where to send"
    case .sort: "Sort the queue"
    case .theme: "How the screen looks"
    case .actions: "Actions"
    }
  }
}
