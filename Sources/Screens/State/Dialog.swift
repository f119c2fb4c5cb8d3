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

  /// How far a dialog with a text to read is scrolled; `nil` for all others.
  var scroll: Int? {
    get {
      switch self {
      case .details(let details): details.scroll
      case .page(let page): page.scroll
      case .help(let scroll): scroll
      default: nil
      }
    }
    set {
      switch self {
      case .details(var details):
        details.scroll = newValue ?? 0
        self = .details(details)
      case .page(var page):
        page.scroll = newValue ?? 0
        self = .page(page)
      case .help: self = .help(scroll: newValue ?? 0)
      default: return
      }
    }
  }
}

/// Everything about an item.
struct Details: Sendable {
  var id: ItemID
  var scroll = 0
  /// The request as it is sent, when whoever knows has said so.
  var request: [String] = []
  /// The reply and the request, laid out.
  var texts = Kept<ItemDetails.TextSource, ItemDetails.Texts>()
}

/// A text to read.
struct Page: Sendable {
  var title: String
  var lines: [(text: String, role: Role)]
  var scroll = 0
  /// The text, laid out.
  var text = Kept<Paper, [TextLine]>()

  /// What a text is laid out for.
  struct Paper: Equatable, Sendable {
    var width: Int
    var isASCII: Bool
  }

  func layOut(_ paper: Paper) -> [TextLine] {
    lines.flatMap { line in
      Cutting.wrapped(Glyphs.of(line.text, ascii: paper.isASCII), to: paper.width)
        .map { TextLine($0, line.role) }
    }
  }
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
    /// These items, so many of which were being sent when it was asked.
    case removing(Set<ItemID>, active: Int, mayHaveArrived: Bool)
    case deleting([ServerRow])
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
