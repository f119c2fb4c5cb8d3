import UploadModel

/// What the keys do while a dialog has the keyboard.
extension AppState {
  mutating func editPrompt(_ change: (inout TextField) -> Void) {
    guard case .prompt(var prompt) = dialog else { return }
    prompt.edit(change)
    dialog = .prompt(prompt)
  }

  mutating func perform(_ name: Action.Name, in prompt: PathPrompt) -> [Effect] {
    switch name {
    case .close: dialog = nil
    case .accept:
      dialog = nil
      return prompt.path.map { [.add([$0])] } ?? []
    case .complete: return complete(prompt, step: 1)
    case .completeBack: return complete(prompt, step: -1)
    case .left: editPrompt { $0.move(by: -1) }
    case .right: editPrompt { $0.move(by: 1) }
    case .lineStart: editPrompt { $0.moveToStart() }
    case .lineEnd: editPrompt { $0.moveToEnd() }
    case .deleteBack: editPrompt { $0.deleteBack() }
    case .deleteForward: editPrompt { $0.deleteForward() }
    case .deleteWord: editPrompt { $0.deleteWord() }
    case .deleteLine: editPrompt { $0.deleteToStart() }
    default: break
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
      return leaveIfDone()
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
    case .none, .prompt, .question: return
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
    case .none, .prompt, .question: return
    }
  }

  private func limited(_ scroll: Int) -> Int {
    let lines = DialogBox.lines(of: self, size: size).count
    return min(max(0, scroll), max(0, lines - DialogBox.scrollingLines(in: size)))
  }
}
