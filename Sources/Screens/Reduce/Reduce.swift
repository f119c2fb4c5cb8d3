import UploadModel

/// Changes the state of the screen in response to `event`, and returns the effects to perform.
package func reduce(_ state: inout AppState, _ event: AppEvent) -> [Effect] {
  let typed = state.typedPath
  var effects = state.handle(event)
  state.takeBackMessage()
  state.askAboutNames()
  effects += state.readFurther()
  // As the user types a path, the prompt shows what that would add.
  if let text = state.typedPath, text != typed, !text.isEmpty { effects.append(.previewLine(text)) }
  state.showNamedTheme()
  state.list.follow(state.queue)
  effects += state.previewFile() + state.readAttempts()
  assert(state.isSound, "out of order after \(event)")
  return effects
}

extension AppState {
  fileprivate mutating func handle(_ event: AppEvent) -> [Effect] {
    switch event {
    case .key, .perform, .mouse, .command, .paste:
      endRest()
      endOffer(at: event)
    default: break
    }
    switch event {
    case .key(let key): return press(key)
    case .perform(let name):
      return Action.inMode(mode).contains { $0.name == name } ? perform(name) : []
    case .mouse(let mouse): return point(mouse)
    case .focus(let hasFocus): self.hasFocus = hasFocus
    case .command(let line):
      message = nil
      return run(line)
    case .paste(let text): return paste(text)
    case .resized(let size):
      self.size = size
      fitLists()
      limitScroll()
    case .queue(let news): return receive(news)
    case .folder(let folder):
      lastFolder = folder.failure == nil ? folder.path : nil
      changeBrowser { $0.show(folder, height: $1) }
    case .target(let name, let url, let concurrency, let listsServer, let usual):
      let isNew = name != target || url != self.url
      (target, self.url, options.listsServer) = (name, url, listsServer)
      urls[name] = url
      configured = concurrency
      server = PaneList()
      // The question is about entries on the old target's server.
      if case .question(let question) = dialog, case .deleting = question.subject { dialog = nil }
      // The configuration may only have been read again, with the same target.
      if isNew { message = "files added from now on go to \(name)" }
      if isNew, let usual, usual != name {
        let place = options.configuration ?? "the configuration"
        message? += "; on its next start, hoist uses \(usual): default_target in \(place)"
      }
      if isNew { record("target: \(name)") }
      if pane == .server { return show(.server) }
    case .server(let listing): server.update(with: listing, height: layout.rows.count)
    case .history(let listing, let total, let isCut, let counts):
      historyExtent = (total, isCut, counts)
      showHistory(listing)
    case .request(let id, let lines):
      changeDialogs { dialog in
        guard case .details(var details) = dialog, details.id == id else { return dialog }
        details.request = lines
        return .details(details)
      }
    case .attempts(let id, let recorded): queue.add(recorded, to: id)
    case .completions(let text, let candidates): return offer(candidates, for: text)
    case .filePreview(let request, let preview):
      if request == previewed.request { previewed.preview = preview }
    case .linePreview(let text, let preview):
      guard case .prompt(var prompt) = dialog, prompt.field.text == text else { break }
      prompt.preview = preview
      dialog = .prompt(prompt)
    case .targets(let rows): setTargets(rows)
    case .tried(let target, let obstacle):
      let before: String? =
        if case .underWay(let before)? = trials[target] { before } else { nil }
      if trials[target] != nil { trials[target] = .over(obstacle: obstacle) }
      record("\(target): \(obstacle ?? "answers")", obstacle == nil ? .good : .bad)
      if obstacle == nil { offerRetry(of: target) }
      // Its row has little room, or still says that the credentials are refused.
      if let obstacle {
        message = "\(target)\(obstacle == before ? ", as before" : ""): \(obstacle)"
      }
    case .untested(let target, let isUnchanged):
      if trials[target] != nil { trials[target] = .over(obstacle: "credentials not tested") }
      let which = isUnchanged ? ", which are those that it refused" : ""
      say(
        "\(target) answers, but this does not test its credentials\(which); "
          + "\(keyLabel(.retryAll)) in the queue does, with a file")
    // If the file is gone or sent again by now, nothing is asked.
    case .ruleDrafted(let draft):
      if item(draft.item)?.isDoubtful == true { open(.question(Question(.savingRule(draft)))) }
    case .targetDeleted(let name):
      let key = keyLabel(.undo, in: .targets)
      message = "\(name) is deleted" + (key.isEmpty ? "" : " · \(key) brings it back")
    case .page(let title, let lines):
      open(.page(Page(title: title, lines: lines.map { ($0, .plain) })))
    case .setupRefused(let words, let part, let isGoodEnough):
      guard case .form(var form) = dialog, form.mode == .setup else { return [] }
      form.refuse(words, at: part)
      dialog = .form(form)
      if isGoodEnough {
        open(.question(Question(.keepingTarget(words, isAboutSecret: form.isAtSecret))))
      }
      return [.bell]
    case .targetChanged:
      var changed: Form?
      changeDialogs { dialog in
        guard case .form(let form) = dialog, form.isTrying else { return dialog }
        changed = form
        return nil
      }
      if let changed { noteChange(by: changed) }
    case .leftOut(let files): askToAddAgain(files)
    case .editedFound(let edited, let there): return apply(edited, unless: there)
    case .pathRefused(let words): return refuse(path: words)
    case .leaveWhenDone: return leaveWhenDone()
    case .message(let text): say(text)
    case .progress(let text): message = text
    case .tick(let now): tick(at: now)
    case .resumed: return [.redraw]
    case .terminate: return [.quit(.stopping)]
    case .hangUp:
      // A queue that the user has stopped resumes only when the user says so.
      let goesOn = options.background == .preferred && canGoOnInBackground && !isAside
      return [.quit(goesOn ? .background : .stopping)]
    }
    return []
  }

  private mutating func offer(_ candidates: [String], for text: String) -> [Effect] {
    switch dialog {
    case .prompt(let prompt): return offer(candidates, for: text, in: prompt)
    case .command(let prompt): return offerPaths(candidates, for: text, in: prompt)
    case .form(let form): return offer(candidates, for: text, in: form)
    default: return []
    }
  }

  /// What a message has marked is for the next key, if that is the one that it names. The message goes with the marks.
  private mutating func endOffer(at event: AppEvent) {
    guard let offered = marksAreFor else { return }
    marksAreFor = nil
    if case .key(let key) = event, keymap.asked(by: key, in: mode) == offered { return }
    if case .perform(offered) = event { return }
    if case .mouse(let mouse) = event, mouse.kind == .click,
      hint(row: mouse.row, column: mouse.column) == offered
    {
      return
    }
    list.clearMarks()
    message = nil
  }

  private mutating func press(_ key: Key) -> [Effect] {
    let name = keymap.asked(by: key, in: mode)
    // Someone who only looks around goes on reading.
    if name?.has(.looks) != true { message = nil }
    if let effects = name.flatMap({ performInSummary($0) }) { return effects }
    // A summary under a dialog stays, since the user has not seen it.
    if isSummaryShown { summary = nil }
    if let name { return perform(name) }
    if case .character(let character) = key { return type(String(character)) }
    return []
  }

  mutating func perform(_ name: Action.Name) -> [Effect] {
    if !name.has(.looks) { change(.endRange) }
    // The same key may do less elsewhere.
    let traits = Action.inMode(mode).first { $0.name == name }?.traits ?? []
    if isReading, traits.contains(.edits) { return refuse(Self.isStillRead) }
    if let effects = performEverywhere(name) { return effects }
    switch dialog {
    case .none where isSetup: return performInSetup(name)
    case .none: return performInPane(name)
    case .prompt(let prompt): return perform(name, in: prompt)
    case .limit(let prompt): return perform(name, in: prompt)
    case .command(let prompt): return perform(name, in: prompt)
    case .find(let prompt): return perform(name, in: prompt)
    case .form(let form): return perform(name, in: form)
    case .details(let details):
      let items = [details.id].compactMap(item)
      switch name {
      case .retry: return retry(items)
      case .failWhen: return draftRule(items)
      case .copyURL: return copyURLs(of: items)
      case .openURL: return openURL(items.map(\.url), of: items.map(\.reply))
      case .deleteUploaded: return askToDelete(items.map(\.uploaded))
      case .copyAsCurl: return [.copyAsCurl(details.id)]
      default: return scrollDialog(name)
      }
    case .help(let help): return perform(name, in: help)
    case .page(let page): return perform(name, in: page)
    case .browser(let browser): return perform(name, in: browser)
    case .menu(let menu): return perform(name, in: menu)
    case .failures(let failures): return perform(name, in: failures)
    case .question(let question): return perform(name, in: question)
    }
  }

  /// Performs an action that is the same everywhere; returns `nil` for all other actions.
  mutating func performEverywhere(_ name: Action.Name) -> [Effect]? {
    switch name {
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    // `^c` asks to quit. Pressed again during the question, it quits at once.
    case .interrupt: return mode == .quitting ? [.quit(.forced)] : askToQuit()
    case .help: open(.help(Help(mode: mode)))
    default: return nil
    }
    return []
  }

  mutating func askToQuit() -> [Effect] {
    // If another process sends the queue, leaving stops nothing.
    if isAtTheEnd || isAside { return [.quit(.idle)] }
    let background = canGoOnInBackground ? options.background : .unavailable
    open(.question(Question(.quitting(background, canFinish: canFinish))))
    return []
  }

  /// Whether another process would have something to do: stopped or paused items, and those that wait for credentials,
  /// continue only when the user says so.
  var canGoOnInBackground: Bool {
    settings.isStarted && (queue.totals.busy > heldBack || isReading)
  }

  /// Whether there is anything to wait for before quitting.
  private var canFinish: Bool { canGoOnInBackground || queue.totals.active > 0 || isReading }

  /// Why the queue cannot be edited yet: "all" and "last" would refer only to the part that has been read.
  static let isStillRead = "the queue is still being read; try again in a moment"

  mutating func refuse(_ why: String) -> [Effect] {
    message = why
    return [.bell]
  }

  static let nothingQueued = "nothing is queued"

  /// Refuses an action on files because there are no files.
  mutating func refuseWithoutFiles() -> [Effect] {
    refuse(pane == .queue && queue.count == 0 ? Self.nothingQueued : "nothing is selected")
  }

  /// Asks a question in place of the uppermost dialog, if one is open.
  mutating func ask(_ subject: Question.Subject) -> [Effect] {
    dialog = .question(Question(subject))
    return []
  }

  /// Whether the lists and the totals fit their rows. This is cheap enough to check after every event in debug builds.
  var isSound: Bool {
    list.isSound(in: queue) && server.list.isSound(in: server.rows)
      && history.list.isSound(in: history.rows) && targets.list.isSound(in: targets.rows)
      && log.list.isSound(in: log.rows)
      && queue.totals.all == queue.count
  }
}

extension UploadItem {
  /// Whether it counts as sent although the server may not have the whole file.
  var isInDoubt: Bool { state.isDoubtful }

  /// Whether it counts as sent, but the server's reply seems to say no. A reply that broke off gives no rule.
  var isDoubtful: Bool { state.receipt?.doubt.map { !Receipt.isBreak($0) } == true }

  /// The URL of the uploaded file, if the server named one.
  var url: String? { if case .done(let receipt) = state { receipt.url } else { nil } }

  /// What the server said when it took the file; empty if it has not.
  var reply: Reply { if case .done(let receipt) = state { receipt.reply } else { Reply() } }

  /// The file with the address that deletes it on the server, if the server named one.
  var uploaded: UploadedFile? {
    guard case .done(let receipt) = state, let url = receipt.deletionURL else { return nil }
    return UploadedFile(name: self.fileName, target: self.target, deletionURL: url)
  }
}
