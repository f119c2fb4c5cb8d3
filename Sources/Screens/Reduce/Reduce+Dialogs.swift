import ScalarText
import UploadModel

/// The actions while a dialog has the keyboard focus.
extension AppState {
  /// Inserts typed or pasted text into the field that has the keyboard focus.
  mutating func type(_ text: String) -> [Effect] {
    if case .form(let form) = dialog, form.rows[form.focus].field.isChoice, !form.isWaiting {
      return openChoices(of: form, filter: text.trimming(\.isBlank))
    }
    if case .form(let form) = dialog, form.rows[form.focus].field.isSwitch {
      switch text {
      case " ": return turn(form)
      case "y": return turn(form, to: true)
      case "n": return turn(form, to: false)
      default:
        var form = form
        form.complaint = "yes or no: y, n, or Space for the other one"
        dialog = .form(form)
        return [.bell]
      }
    }
    // A typed speed replaces the current one instead of being appended to it.
    if case .limit(let prompt) = dialog, prompt.isUntouched {
      dialog = .limit(LimitPrompt(text: text))
    } else {
      editField { $0.insert(text) }
    }
    return []
  }

  /// Changes the text field that has the keyboard focus, if any.
  private mutating func editField(_ change: (inout TextField) -> Void) {
    switch dialog {
    case .prompt(var prompt):
      prompt.edit(change)
      dialog = .prompt(prompt)
    case .limit(var prompt):
      change(&prompt.field)
      prompt.isRefused = false
      dialog = .limit(prompt)
    case .command(var prompt):
      let text = prompt.line.field.text
      prompt.line.edit(change)
      // What is typed into an earlier line makes a new one of it.
      if !prompt.line.field.text.hasSameScalars(as: text) { prompt.earlier = nil }
      dialog = .command(prompt)
    case .find(var prompt):
      change(&prompt.field)
      dialog = .find(prompt)
      look(for: prompt)
    case .form(var form):
      form.edit(change)
      dialog = .form(form)
    case .browser(var browser):
      guard var field = browser.prompt else { return }
      change(&field)
      browser.prompt = field
      browser.setFilter(field.text, height: BrowserBox.lines(in: size))
      dialog = .browser(browser)
    case .help(var help):
      guard var field = help.prompt else { return }
      change(&field)
      (help.prompt, help.filter, help.scroll) = (field, field.text, 0)
      dialog = .help(help)
    case .menu(var menu) where menu.isFiltered:
      menu.edit(height: MenuBox.lines(menu, in: size), change)
      dialog = .menu(menu)
    case .none, .details, .page, .menu, .failures, .question: break
    }
  }

  mutating func edit(_ name: Action.Name) { editField { $0.edit(name) } }

  mutating func perform(_ name: Action.Name, in prompt: LimitPrompt) -> [Effect] {
    switch name {
    case .close: dialog = nil
    case .accept where prompt.isUntouched: dialog = nil
    case .accept:
      if let limit = prompt.answer { return setLimit(limit) }
      var prompt = prompt
      prompt.isRefused = true
      dialog = .limit(prompt)
      return [.bell]
    default: edit(name)
    }
    return []
  }

  /// Limits the bandwidth to this many bytes a second; 0 for no limit.
  mutating func setLimit(_ speed: Int64) -> [Effect] {
    let limit = speed > 0 ? speed : nil
    (dialog, settings.limit) = (nil, limit)
    speeds.startOver(at: now)
    record("limit: \(limit.map { HumanReadable.speed(Double($0)) } ?? "none")")
    return [.setLimit(limit)]
  }

  mutating func perform(_ name: Action.Name, in prompt: LinePrompt) -> [Effect] {
    switch name {
    case .close: dialog = nil
    case .accept:
      // A line that names no files stays, so that it can be corrected.
      if prompt.preview?.files == 0 { return [.bell] }
      dialog = nil
      return prompt.paths.isEmpty ? [] : [.add(prompt.paths)]
    case .complete, .completeBack:
      var prompt = prompt
      let text = prompt.complete(step: name == .complete ? 1 : -1)
      dialog = .prompt(prompt)
      return text.map { [.complete($0)] } ?? []
    default: edit(name)
    }
    return []
  }

  /// Offers paths for the line in the prompt or, if no name starts with that, for its last word.
  mutating func offer(_ paths: [String], for text: String, in prompt: LinePrompt) -> [Effect] {
    let head = prompt.field.head
    let word = LastWord(of: head)
    let isWhole = text.hasSameScalars(as: head)
    if isWhole, paths.isEmpty, word.isPath, !word.text.hasSameScalars(as: head) {
      return [.complete(word.text)]
    }
    // If the user has typed on, the answer is outdated.
    guard isWhole || text.hasSameScalars(as: word.text) else { return [] }
    var prompt = prompt
    let isOfUse =
      isWhole
      ? prompt.offer(paths, for: head)
      : prompt.offer(paths.map(word.line), for: head, after: word.before)
    dialog = .prompt(prompt)
    return isOfUse ? [] : [.bell]
  }

  mutating func perform(_ name: Action.Name, in question: Question) -> [Effect] {
    switch name {
    case .goOnInBackground where !question.buttons.contains { $0.name == name }:
      return refuse("this queue cannot be sent in the background")
    case .finishThenQuit where !question.buttons.contains { $0.name == name }:
      return refuse("there is nothing left to finish")
    case .arrived where !question.buttons.contains { $0.name == name }: return [.bell]
    case .keepBoth, .keepAllBoth:
      guard question.buttons.contains(where: { $0.name == .keepBoth }) else {
        return refuse("it keeps its name: an upload that can resume is not renamed")
      }
      dialog = nil
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
    // The queue may have ended while the question was being read.
    case (.goOnInBackground, _): return [.quit(canGoOnInBackground ? .background : .stopping)]
    case (.finishThenQuit, _): return leaveWhenDone()
    case (.close, .quitting):
      if finishing != nil { message = "hoist no longer quits by itself" }
      finishing = nil
    case (.finishThese, .breakingOff(let ids)):
      return pauseOnly(ids.compactMap(item).filter { !startsAgain($0) })
    case (.pauseNow, .breakingOff(let ids)): return pauseOnly(ids.compactMap(item))
    case (.finishThese, _): return start(false)
    case (.keepAnyway, .keepingTarget): return keepTarget()
    case (.addAgain, .addingAgain(let files)): return [.addAgain(files.items)]
    case (_, .nameTaken(let id, _)): return answer(name, about: id)
    case (.sendAgainNow, .sendingAgain(let ids, _)): return retryNow(ids.compactMap(item))
    case (.arrived, .sendingAgain(let ids, _)): return confirmArrival(of: ids.compactMap(item))
    case (.sendAgainNow, .editingAnyway(let edited, _)): return apply(edited)
    case (.sendAgainNow, .queueingAgain(let rows)): return sendAgainNow(rows)
    case (.pauseNow, _): return pauseAllOnly()
    case (.removeNow, .removing(let ids, _, _)): return remove(ids)
    case (.deleteNow, .deleting(let rows)):
      for row in rows { record("deleting \(row.name) on the server") }
      return [.deleteOnServer(rows)]
    case (.saveRule, .savingRule(let draft)): return [.saveRule(draft)]
    case (.deleteNow, .deletingTarget(let name)): return [.deleteTarget(name)]
    case (.deleteNow, .deletingUploaded(let files)):
      for file in files { record("deleting \(file.name) on the server") }
      return [.deleteUploaded(files)]
    default: break
    }
    return []
  }

  mutating func perform(_ name: Action.Name, in help: Help) -> [Effect] {
    var help = help
    let isTyping = help.prompt != nil
    switch name {
    case .accept where isTyping: help.prompt = nil
    // The first time clears the filter, the second closes the help.
    case .close where isTyping || !help.filter.isEmpty:
      (help.prompt, help.filter, help.scroll) = (nil, "", 0)
    case _ where isTyping:
      edit(name)
      return []
    case .details where help.isWhole: return scrollDialog(.close)
    case .details: (help.isWhole, help.scroll) = (true, 0)
    case .find: (help.prompt, help.isWhole) = (TextField(help.filter), true)
    default: return scrollDialog(name)
    }
    dialog = .help(help)
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
    // What is still being looked up comes below. The end stays in view.
    case .bottom: dialog?.scroll { $0 = Dialog.end }
    default: break
    }
    return []
  }

  mutating func scrollDialog(by step: Int) {
    guard let shown = dialog else { return }
    let end = lastScroll(of: shown)
    dialog?.scroll { $0 = min(max(0, min($0, end) + step), end) }
  }

  /// How far a dialog with a text to read can be scrolled.
  private func lastScroll(of dialog: Dialog) -> Int {
    let lines = DialogBox(dialog: dialog, state: self, size: size).lines.count
    return max(0, lines - DialogBox.scrollingLines(in: size))
  }

  /// Keeps dialogs from being scrolled past their ends, which move when an item or the size of the screen changes.
  /// Closes what has lost its subject: a dialog about an item that is gone, the reasons once nothing has failed, a
  /// question about a name that is no longer taken, and one about pausing files that have all finished.
  mutating func limitScroll() {
    guard !dialogs.isEmpty else { return }
    let state = self
    changeDialogs { dialog in
      if case .details(let details) = dialog, state.queue.row(details.id) == nil { return nil }
      if case .question(let question) = dialog, case .breakingOff(let ids) = question.subject,
        ids.allSatisfy({ state.item($0)?.state.isFinished ?? true })
      {
        return nil
      }
      if case .failures(var failures) = dialog {
        let count = failures.groups(of: state.queue).count
        let height = FailuresBox.lines(count, in: state.size)
        failures.list.move(to: failures.list.cursor, of: count, height: height)
        return count == 0 ? nil : .failures(failures)
      }
      if case .question(let question) = dialog, case .nameTaken(let id, _) = question.subject,
        state.item(id)?.state.failure?.taken == nil
      {
        return nil
      }
      var scrolled = dialog
      scrolled.scroll { scroll in
        guard scroll != 0, scroll != Dialog.end else { return }
        scroll = min(max(0, scroll), state.lastScroll(of: dialog))
      }
      return scrolled
    }
  }
}
