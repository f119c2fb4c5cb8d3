import UploadModel

/// A dialog over the panes. The uppermost dialog has the keyboard focus.
enum Dialog: Sendable {
  case prompt(LinePrompt)
  case limit(LimitPrompt)
  case command(CommandPrompt)
  case find(FindPrompt)
  case form(Form)
  case details(Details)
  case page(Page)
  case help(Help)
  case browser(Browser)
  case menu(Menu)
  case failures(FailureList)
  case question(Question)

  var mode: Mode {
    switch self {
    case .prompt: .prompt
    case .limit: .limit
    case .command: .command
    case .find: .find
    case .form(let form): form.mode
    case .details: .details
    case .page: .page
    case .help(let help): help.prompt == nil ? .help : .find
    case .browser(let browser): browser.prompt == nil ? .browser : .find
    case .menu(let menu): menu.isFiltered ? .pick : .menu
    case .failures: .failures
    case .question(let question): question.mode
    }
  }

  /// How far a dialog is scrolled whose last line stays in view, however long its text becomes.
  static let end = Int.max

  /// Changes how far a dialog with a text to read is scrolled; does nothing in all others.
  mutating func scroll(_ change: (inout Int) -> Void) {
    switch self {
    case .details(var details):
      change(&details.scroll)
      self = .details(details)
    case .page(var page):
      change(&page.scroll)
      self = .page(page)
    case .help(var help):
      change(&help.scroll)
      self = .help(help)
    default: break
    }
  }
}

/// Everything about an item.
struct Details: Sendable {
  var id: ItemID
  var scroll = 0
  /// The request as it is sent, once `AppEvent.request` has arrived.
  var request: [String] = []
  /// The reply and the request, laid out.
  let texts = Memoized<ItemDetails.TextSource, ItemDetails.Texts>()
}

/// The help overlay: its scroll position and its filter.
struct Help: Sendable {
  /// The mode in which the help was opened; its keys are listed first.
  var mode = Mode.queue
  /// Whether all keys are shown, and not only the most useful ones of the mode.
  var isWhole = false
  var scroll = 0
  /// Only actions whose keys or words contain this text are shown. If it is empty, all are shown.
  var filter = ""
  /// The filter, while it is being typed.
  var prompt: TextField?
}
