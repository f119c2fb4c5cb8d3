/// The actions while files are chosen from a list.
extension AppState {
  mutating func perform(_ name: Action.Name, in browser: Browser) -> [Effect] {
    var browser = browser
    let height = BrowserBox.lines(in: size)
    let isTyping = browser.prompt != nil
    var effects: [Effect] = []
    switch name {
    case .accept where isTyping: browser.prompt = nil
    case .close where isTyping || !browser.filter.isEmpty:
      browser.prompt = nil
      browser.setFilter("", height: height)
    case _ where isTyping:
      edit(name)
      return []
    case .close:
      dialog = nil
      return []
    case .open:
      // Enter opens a folder instead of adding it; `add` has a key of its own.
      guard let entry = browser.selected, entry.isFolder else { return add(browser) }
      effects = [.listFolder(entry.path)]
    case .add: return add(browser)
    case .parent:
      guard let parent = browser.folder?.parent else { return [.bell] }
      effects = [.listFolder(parent)]
    case .toggleHidden: browser.toggleHidden(height: height)
    case .find, .filter: browser.prompt = TextField(browser.filter)
    case .mark:
      if let entry = browser.selected { browser.toggle(entry) }
      browser.list.move(to: browser.list.cursor + 1, of: browser.entries.count, height: height)
    case .markAll: browser.markAll()
    case .invertMarks: browser.invertMarks()
    case .sort: browser.turnOrder(height: height)
    default: _ = browser.list.move(name, of: browser.entries.count, height: height)
    }
    dialog = .browser(browser)
    return effects
  }

  /// Applies `change` to the list of files, if it is open, and passes it the list's height on the screen.
  mutating func changeBrowser(_ change: (inout Browser, _ height: Int) -> Void) {
    let height = BrowserBox.lines(in: size)
    changeDialogs { dialog in
      guard case .browser(var browser) = dialog else { return dialog }
      change(&browser, height)
      return .browser(browser)
    }
  }

  private mutating func add(_ browser: Browser) -> [Effect] {
    let chosen = browser.chosen
    guard !chosen.isEmpty else { return [.bell] }
    dialog = nil
    // What cannot be sent cannot be marked.
    if browser.marks.isEmpty, let entry = browser.selected, !entry.isSendable {
      let isBroken = entry.kind == "broken"
      message = AddPreview(brokenLinks: isBroken ? 1 : 0, unsendable: isBroken ? 0 : 1).words
    }
    return [.add(chosen.map(PathInput.bytes))]
  }
}
