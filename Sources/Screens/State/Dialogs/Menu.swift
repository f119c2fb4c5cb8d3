import UploadModel

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
  /// The last choices, which are no targets.
  private var extras: [Extra] = []

  enum Extra: Hashable, Sendable {
    /// The address that is being typed, without a target for it. It is visible once there is one.
    case address
    /// Makes a new target.
    case new
  }

  /// Where the mouse opened the menu; nil if the menu is in the middle of the screen.
  private(set) var place: (row: Int, column: Int)?

  init(
    purpose: Purpose, choices: [String], notes: [String] = [], place: (row: Int, column: Int)? = nil
  ) {
    (self.purpose, self.choices, self.notes, self.place) = (purpose, choices, notes, place)
    shown = Array(choices.indices)
  }

  /// A menu of the targets, for files that are added or for those that a form edits. With `makesNew`, its last choice
  /// makes a new one.
  init(targets: [TargetRow], for purpose: Purpose = .target, makesNew: Bool) {
    let extras: [Extra] =
      (purpose == .target ? [] : [.address]) + (makesNew ? [.new] : [])
    self.init(
      purpose: purpose, choices: targets.map(\.name) + extras.map(\.words.choice),
      notes: targets.map(\.url) + extras.map(\.words.note))
    self.extras = extras
    narrow(height: choices.count)
  }

  /// A menu of the services for a form.
  init(services choices: [(name: String, note: String)]) {
    self.init(purpose: .form(.service), choices: choices.map(\.name), notes: choices.map(\.note))
  }

  /// Replaces the targets; the cursor stays on its target.
  mutating func update(targets: [TargetRow], height: Int) {
    let name = chosen.map { choices[$0] }
    guard [.target, .form(.target)].contains(purpose) else { return }
    var menu = Menu(targets: targets, for: purpose, makesNew: extras.contains(.new))
    menu.filter = filter
    menu.narrow(height: height)
    let row = name.flatMap { name in
      menu.shown.firstIndex { menu.choices[$0].hasSameScalars(as: name) }
    }
    menu.list.move(to: row ?? list.cursor, of: menu.shown.count, height: height)
    self = menu
  }

  /// What a choice is that is no target.
  func extra(_ choice: Int) -> Extra? {
    let index = choice - (choices.count - extras.count)
    return extras.indices.contains(index) ? extras[index] : nil
  }

  /// The address that is being typed; nil if the text is not an address, or may hold a secret: the queue must not store one.
  var address: String? {
    let text = filter.text
    guard text.unicodeScalars.contains(where: { ":/.".unicodeScalars.contains($0) }),
      !text.unicodeScalars.contains(where: { "?#@ ".unicodeScalars.contains($0) })
    else { return nil }
    let address = Origin.addingScheme(to: text)
    return Origin(text: address) == nil ? nil : address
  }

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
    let known = choices.indices.filter { extra($0) == nil }
    let others = choices.indices.filter { choice in
      extra(choice).map { $0 == .new || address != nil } ?? false
    }
    shown = known.ranked(by: Matcher(filter.text)) { [choices[$0], note($0)] } + others
    list.move(to: 0, of: shown.count, height: height)
  }

  func note(_ index: Int) -> String {
    if extra(index) == .address, let address { return address }
    return notes.indices.contains(index) ? notes[index] : ""
  }

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

extension Menu.Extra {
  fileprivate var words: (choice: String, note: String) {
    switch self {
    case .address: ("this URL", "without a target for it")
    case .new: ("new target…", "asks for its URL")
    }
  }
}
