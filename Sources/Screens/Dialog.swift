import UploadModel

/// What lies over the queue and has the keyboard.
enum Dialog: Sendable {
  case prompt(PathPrompt)
  case limit(LimitPrompt)
  case details(ItemID, scroll: Int)
  case help(scroll: Int)
  case question(Question)

  var mode: Mode {
    switch self {
    case .prompt: .prompt
    case .limit: .limit
    case .details: .details
    case .help: .help
    case .question(let question): question.mode
    }
  }
}

/// A question that is answered with one of a few buttons.
struct Question: Sendable {
  enum Subject: Sendable {
    case quitting
    case removing(Set<ItemID>)
  }

  let subject: Subject
  /// The button that Enter presses.
  var lit = 0

  init(_ subject: Subject) { self.subject = subject }

  var mode: Mode {
    switch subject {
    case .quitting: .quitting
    case .removing: .removing
    }
  }

  /// The buttons are the actions of the mode that have a word for one.
  var buttons: [Action] { Action.inMode(mode).filter { $0.hint != nil } }

  /// The button that is pressed with Enter.
  var answer: Action.Name { buttons.indices.contains(lit) ? buttons[lit].name : .close }

  mutating func light(step: Int) {
    lit = (lit + step + buttons.count) % max(1, buttons.count)
  }
}
