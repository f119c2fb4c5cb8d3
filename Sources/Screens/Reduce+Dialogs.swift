import UploadModel

/// What the keys do while a dialog has the keyboard.
extension AppState {
  /// Changes the line of text that has the keyboard, if one has.
  mutating func editField(_ change: (inout TextField) -> Void) {
    switch dialog {
    case .prompt(var prompt):
      prompt.edit(change)
      dialog = .prompt(prompt)
    case .limit(var prompt):
      change(&prompt.field)
      prompt.isRefused = false
      dialog = .limit(prompt)
    case .none, .details, .help, .question: break
    }
  }

  /// What the keys do that edit a line of text.
  private mutating func edit(_ name: Action.Name) {
    switch name {
    case .left: editField { $0.move(by: -1) }
    case .right: editField { $0.move(by: 1) }
    case .lineStart: editField { $0.moveToStart() }
    case .lineEnd: editField { $0.moveToEnd() }
    case .deleteBack: editField { $0.deleteBack() }
    case .deleteForward: editField { $0.deleteForward() }
    case .deleteWord: editField { $0.deleteWord() }
    case .deleteLine: editField { $0.deleteToStart() }
    default: break
    }
  }

  mutating func perform(_ name: Action.Name, in prompt: LimitPrompt) -> [Effect] {
    switch (name, prompt.answer) {
    case (.close, _): dialog = nil
    case (.accept, nil):
      var prompt = prompt
      prompt.isRefused = true
      dialog = .limit(prompt)
      return [.bell]
    case (.accept, .off):
      (dialog, rateLimit) = (nil, nil)
      return [.setLimit(nil)]
    case (.accept, .bytesPerSecond(let limit)):
      (dialog, rateLimit) = (nil, limit)
      return [.setLimit(limit)]
    default: edit(name)
    }
    return []
  }

  mutating func perform(_ name: Action.Name, in prompt: PathPrompt) -> [Effect] {
    switch name {
    case .close: dialog = nil
    case .accept:
      dialog = nil
      return prompt.path.map { [.add([$0])] } ?? []
    case .complete: return complete(prompt, step: 1)
    case .completeBack: return complete(prompt, step: -1)
    default: edit(name)
    }
    return []
  }

  private mutating func complete(_ prompt: PathPrompt, step: Int) -> [Effect] {
    var prompt = prompt
    let question = prompt.complete(step: step)
    dialog = .prompt(prompt)
    return question.map { [.complete($0)] } ?? []
  }

  mutating func perform(_ name: Action.Name, in question: Question) -> [Effect] {
    switch name {
    case .accept where question.answer != .accept: return perform(question.answer, in: question)
    case .next, .previous:
      var question = question
      question.light(step: name == .next ? 1 : -1)
      dialog = .question(question)
      return []
    default: dialog = nil
    }
    switch (name, question.subject) {
    case (.stopAndQuit, _): return [.quit(.stopping)]
    case (.finishThenQuit, _):
      leavesWhenDone = true
      // To finish means to go on, too.
      let goesOn: [Effect] = isStarted ? [] : [.setStarted(true)]
      isStarted = true
      return goesOn + leaveIfDone()
    case (.close, .quitting): leavesWhenDone = false
    case (.removeNow, .removing(let ids)): return remove(ids)
    default: break
    }
    return []
  }

  mutating func scrollDialog(_ name: Action.Name) -> [Effect] {
    let page = max(1, DialogBox.scrollingLines(in: size) - 1)
    switch name {
    case .close: dialog = nil
    case .down: scrollDialog(by: 1)
    case .up: scrollDialog(by: -1)
    case .pageDown: scrollDialog(by: page)
    case .pageUp: scrollDialog(by: -page)
    case .top: scrollDialog(by: -1_000_000)
    case .bottom: scrollDialog(by: 1_000_000)
    default: break
    }
    return []
  }

  private mutating func scrollDialog(by step: Int) {
    switch dialog {
    case .details(let id, let scroll): dialog = .details(id, scroll: scroll + step)
    case .help(let scroll): dialog = .help(scroll: scroll + step)
    case .none, .prompt, .limit, .question: return
    }
    limitScroll()
  }

  /// Keeps a dialog from being scrolled past its end, which moves when its item or the size does.
  /// A dialog about an item that is gone closes.
  mutating func limitScroll() {
    switch dialog {
    case .details(let id, let scroll):
      guard queue.row(id) != nil else {
        dialog = nil
        return
      }
      if scroll != 0 { dialog = .details(id, scroll: limited(scroll)) }
    case .help(let scroll): dialog = .help(scroll: limited(scroll))
    case .none, .prompt, .limit, .question: return
    }
  }

  private func limited(_ scroll: Int) -> Int {
    let lines = DialogBox.lines(of: self, size: size).count
    return min(max(0, scroll), max(0, lines - DialogBox.scrollingLines(in: size)))
  }
}
