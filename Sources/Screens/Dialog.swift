import UploadModel

/// What lies over the panes and has the keyboard.
enum Dialog: Sendable {
  case prompt(LinePrompt)
  case limit(LimitPrompt)
  case command(CommandPrompt)
  case find(FindPrompt)
  case form(EditForm)
  case details(Details)
  case page(Page)
  case help(scroll: Int)
  case browser(Browser)
  case menu(Menu)
  case question(Question)

  var mode: Mode {
    switch self {
    case .prompt: .prompt
    case .limit: .limit
    case .command: .command
    case .find: .find
    case .form: .form
    case .details: .details
    case .page: .page
    case .help: .help
    case .browser(let browser): browser.prompt == nil ? .browser : .find
    case .menu: .menu
    case .question(let question): question.mode
    }
  }
}

/// Everything about an item.
struct Details: Sendable {
  var id: ItemID
  var scroll = 0
  /// The request as it is sent, when whoever knows has said so.
  var request: [String] = []
}

/// A text to read.
struct Page: Sendable {
  var title: String
  var lines: [(text: String, role: Role)]
  var scroll = 0
}

/// The command line.
struct CommandPrompt: Sendable {
  var line = LinePrompt()
  /// Which of the lines entered before stands here; `nil` for the one that is typed.
  var earlier: Int?
}

/// A text to look for, being typed.
struct FindPrompt: Sendable {
  var field = TextField()
  /// Whether everything else is to be hidden.
  let isFilter: Bool
  /// Where the cursor was, and what was filtered, before.
  let cursor: Int
  let filter: String
}

/// A question that is answered with one of a few buttons.
struct Question: Sendable {
  enum Subject: Sendable {
    case quitting
    case removing(Set<ItemID>)
    case deleting(ServerRow)
  }

  let subject: Subject
  /// The button that Enter presses.
  var lit = 0

  init(_ subject: Subject) {
    self.subject = subject
    // What is gone on the server comes back by no undo: the way out is lit.
    if case .deleting = subject { lit = 1 }
  }

  var mode: Mode {
    switch subject {
    case .quitting: .quitting
    case .removing: .removing
    case .deleting: .deleting
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

/// A few things of which one is chosen.
struct Menu: Sendable {
  enum Purpose: Sendable {
    case target
    case sort
  }

  let purpose: Purpose
  let choices: [String]
  var list = ListState()

  var title: String {
    switch purpose {
    case .target: "Where files go that are added from now on"
    case .sort: "Sort the queue"
    }
  }
}
