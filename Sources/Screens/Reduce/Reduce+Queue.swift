import Scheduling
import UploadModel

/// The actions while the queue has the keyboard focus.
extension AppState {
  /// Actions that are not about the row under the cursor.
  private static let aboutNoRow: Set<Action.Name> = [
    .add, .browse, .startStop, .limit, .moreLanes, .fewerLanes, .target, .theme, .retryAll, .clear,
  ]

  mutating func performInQueue(_ name: Action.Name) -> [Effect] {
    if !Self.aboutNoRow.contains(name) { stopFollowing() }
    switch name {
    case .add: dialog = .prompt(LinePrompt())
    case .browse:
      dialog = .browser(Browser())
      return [.listFolder(lastFolder)]
    case .details: return selected.map { openDetails($0.id) } ?? refuseWithoutFiles()
    case .retry: return retry(subjects)
    case .retryAll: return retryAll()
    // Ask first if many bytes would have to be sent again.
    case .pause:
      let chosen = subjects
      return losesMuch(chosen) ? ask(.breakingOff(chosen.map(\.id))) : pause(chosen)
    case .pauseAll: return losesMuch(items) ? ask(.pausing) : pauseAll()
    case .remove: return askToRemove(subjects)
    case .clear: return clear()
    case .moveDown, .moveUp, .moveToTop: return shift(name)
    case .undo: return undo()
    case .redo: return redo()
    case .edit: return openForm(subjects)
    case .rename: return openForm(subjects, names: "")
    case .sort: dialog = .menu(Menu(purpose: .sort, choices: SortOrder.allCases.map(\.words)))
    case .theme:
      var menu = Menu(purpose: .theme(chosenTheme), choices: Theme.all.map(\.name))
      let current = Theme.all.firstIndex { $0.name == theme.name }
      menu.list.move(to: current ?? 0, of: menu.shown.count, height: MenuBox.lines(menu, in: size))
      dialog = .menu(menu)
    case .target: return openTargets()
    case .startStop: return start(!settings.isStarted)
    case .limit: dialog = .limit(LimitPrompt(settings.limit))
    case .moreLanes:
      // If hoist has reduced the lanes because of a limit, what the others were sending goes on for a while. One more
      // file is then one more than are under way.
      let lanes = lanes(of: rowTarget)
      let isLess = lanes.isFound && exceeds(lanes, of: [rowTarget])
      let most = isLess ? active(on: [rowTarget]) : lanes.count
      return setConcurrency(.fixed(most + 1))
    case .fewerLanes: return setConcurrency(.fixed(lanes(of: rowTarget).count - 1))
    case .failures: return openFailures()
    case .failWhen: return draftRule(subjects)
    case .arrived: return confirmArrival(of: subjects)
    case .copyURL: return copyURLs(of: subjects)
    case .openURL: return openURL(subjects.map(\.url), of: subjects.map(\.reply))
    case .deleteUploaded: return askToDelete(subjects.map(\.uploaded))
    case .copyAsCurl: return selected.map { [.copyAsCurl($0.id)] } ?? refuseWithoutFiles()
    default: break
    }
    return []
  }

  /// The path that is being typed.
  var typedPath: String? {
    if case .prompt(let prompt) = dialog { prompt.field.text } else { nil }
  }

  /// Asks whether to add files that already wait, were sent or may have arrived, since users usually want to send a
  /// file only once.
  mutating func askToAddAgain(_ files: LeftOut) {
    let count = files.items.count
    guard count > 0 else { return }
    guard dialog == nil else {
      let why = [
        files.waiting.isEmpty ? nil : "already in the queue",
        files.sent.isEmpty ? nil : "sent before",
        files.doubtful.isEmpty ? nil : "perhaps sent before",
      ].compactMap(\.self)
      message = "\(HumanReadable.count(count, "file")) left out: \(why.joined(separator: " or "))"
      return
    }
    dialog = .question(Question(.addingAgain(files)))
  }

  /// Starts or stops the queue, which sets whether further files are started.
  mutating func start(_ isWanted: Bool) -> [Effect] {
    settings.isStarted = isWanted
    if finishing != nil { finishing = isWanted || isAside ? .queue : .underWay }
    // Another process that sends the queue logs this itself.
    if !isAside { record(isWanted ? "resumed" : "stopped: no more files start") }
    return [.setStarted(isWanted)] + (finishing == nil ? [] : leaveIfDone())
  }

  mutating func openDetails(_ id: ItemID) -> [Effect] {
    dialog = .details(Details(id: id))
    return [.inspect(id)]
  }

  mutating func retry(_ items: [UploadItem]) -> [Effect] {
    // An item that waits for its server, or for better credentials, is tried at once.
    let failed = items.filter(isRetriable)
    guard !items.isEmpty else { return refuseWithoutFiles() }
    guard !failed.isEmpty else { return refuse("nothing to retry: not failed") }
    let taken = failed.filter { $0.state.failure?.taken != nil }
    names.add(taken.map(\.id))
    let others = failed.filter { $0.state.failure?.taken == nil }
    // Files that may already be on the server could end up there twice, so ask first.
    let canConfirm = others.contains(where: \.mayHaveArrived)
    if canConfirm || others.contains(where: \.isInDoubt) {
      return ask(.sendingAgain(others.map(\.id), canConfirm: canConfirm))
    }
    // The question about the names comes once nothing else is on the screen.
    if !taken.isEmpty { dialog = nil }
    return retryNow(others)
  }

  /// Sends again, without asking, those items that can be retried. A doubtful one counts as sent: it is queued once more.
  mutating func retryNow(_ items: [UploadItem]) -> [Effect] {
    let doubtful = items.filter(\.isInDoubt).map(\.record)
    let failed = items.filter { isRetriable($0) && !$0.isInDoubt }.map(\.id)
    list.clearMarks()
    if !doubtful.isEmpty {
      message = "\(HumanReadable.count(doubtful.count, "doubtful file")) queued once more"
    }
    return (failed.isEmpty ? [] : [.retry(failed)])
      + (doubtful.isEmpty ? [] : [.sendAgain(doubtful)])
  }

  /// Makes sure that the key for an action, if it comes next, acts on these items, as a message promises: unless the
  /// cursor alone does it, they are marked. Where the user has marked others, the cursor goes to the first of them;
  /// returns false then.
  @discardableResult
  mutating func choose(_ ids: [ItemID], for name: Action.Name) -> Bool {
    guard let first = ids.first, Set(subjects.map(\.id)) != Set(ids) else { return true }
    guard marks.isEmpty else {
      if let row = index(of: first) { moveCursor(to: row) }
      return false
    }
    list.mark(Set(ids))
    marksAreFor = name
    return true
  }

  /// Removes the files that were sent. Doubtful ones stay: somebody has to look at them.
  private mutating func clear() -> [Effect] {
    let sent = Set(items.lazy.filter { $0.state.isSettled }.map(\.id))
    if !sent.isEmpty { return remove(sent, saying: "cleared") }
    return refuse(
      queue.totals.doubtful > 0
        ? "only doubtful files are done, and they stay; :remove doubtful removes them"
        : "nothing is done yet")
  }

  /// Makes a rule of the reply of the first doubtful item.
  mutating func draftRule(_ items: [UploadItem]) -> [Effect] {
    guard let item = items.first(where: \.isDoubtful) else {
      let isBroken = items.contains { $0.state.receipt?.doubt != nil }
      return refuse(
        isBroken ? "a rule needs the whole reply, which broke off" : "no reply here is doubtful")
    }
    guard options.configuration != nil else {
      return refuse("there is no configuration for the rule")
    }
    return [.draftRule(item.id)]
  }

  /// Retries everything that failed, except what the user stopped and what may have arrived. Servers that could
  /// not be reached, or refused the credentials, are tried at once.
  private mutating func retryAll() -> [Effect] {
    let failed = items.filter(\.state.isFailed)
    let unknown = failed.count(where: \.mayHaveArrived)
    let taken = failed.filter { $0.state.failure?.taken != nil }.map(\.id)
    names.add(taken)
    let ids = failed.filter {
      !$0.mayHaveArrived && $0.state.failure?.cause != .cancelled
        && $0.state.failure?.taken == nil
    }.map(\.id)
    let waiting = askedToWait
    let probed: [Effect] = isHeldUp || waiting != nil ? [.probe] : []
    let effects = (ids.isEmpty ? [] : [.retry(ids)]) + probed
    if effects.isEmpty, unknown == 0 { return taken.isEmpty ? refuse("nothing has failed") : [] }
    // The result may come at once and be the same as before, so say what is done.
    let files = HumanReadable.count(ids.count, "file")
    let tried = waiting.map { tryWords($0.targets, $0.until) } ?? "trying the server now"
    let done =
      if effects.isEmpty {
        ""
      } else if settings.isStarted {
        ((ids.isEmpty ? [] : ["sending \(files) again"]) + (probed.isEmpty ? [] : [tried]))
          .joined(separator: ", ")
      } else {
        (ids.isEmpty ? "" : "\(files) queued again; ") + stoppedWords
      }
    let left =
      "\(HumanReadable.count(unknown, "file")) may have arrived: check the server before you retry"
    message = ([done] + (unknown > 0 ? [left] : [])).filter { !$0.isEmpty }.joined(separator: "; ")
    return effects.isEmpty ? [.bell] : effects
  }

  /// That files are tried although their servers have asked to wait.
  private func tryWords(_ targets: [String], _ until: Instant) -> String {
    let servers = Set(targets.map { Origin(text: url(ofTarget: $0)) })
    let who = targets.count == 1 ? targets[0] : "\(targets.count) targets"
    let whose =
      targets.count == 1 ? "its server" : servers.count == 1 ? "their server" : "their servers"
    return "trying \(who) now, though \(whose) asked to wait until \(clock(until))"
  }

  /// Why nothing is tried now, and which key changes that.
  private var stoppedWords: String {
    let key = keyLabel(.startStop)
    return "no more files start while the queue is stopped"
      + (key.isEmpty ? "" : "; \(key) resumes it")
  }

  /// The target of the row under the cursor, or that of files added from now on.
  var rowTarget: String { selected.map(targetName(of:)) ?? target }

  /// Sets how many files are sent at once to the target of the row under the cursor.
  mutating func setConcurrency(_ count: Concurrency) -> [Effect] {
    let target = rowTarget
    guard count.isValid else {
      let isLess = count.most < Concurrency.range.lowerBound
      let limit = isLess ? Concurrency.range.lowerBound : Concurrency.range.upperBound
      return refuse(
        "\(target) gets \(HumanReadable.count(limit, "file")) at a time: "
          + "\(isLess ? "fewer" : "more") is not possible")
    }
    let wasFound = lanes(of: target).isFound
    settings.lanes[target] = count
    message =
      switch count {
      case .fixed(let count):
        "sending at most \(HumanReadable.count(count, "file")) at a time to \(target)"
          + (wasFound ? " · \(keyLabel(.command))lanes auto lets hoist decide" : "")
      case .auto(let range):
        "hoist decides how many files it sends at a time to \(target): \(lanes(of: target).count) now, at most \(range.upperBound)"
      }
    return [.setConcurrency(count, target: target)]
  }

  func name(of items: [UploadItem]) -> String {
    items.count == 1
      ? "\(known.label(of: items[0])):" : HumanReadable.count(items.count, "file")
  }

  /// Pauses the items that can still be paused. If the question was answered too late, no such item may be left.
  mutating func pauseOnly(_ items: [UploadItem]) -> [Effect] {
    // An item that has been sent completely is as good as done; if it were broken off, its outcome would stay unknown.
    let going = items.filter(\.canBePaused)
    guard !going.isEmpty else { return [] }
    list.clearMarks()
    let spared = items.filter(\.state.isHandedOver)
    if !spared.isEmpty {
      message = nil
      announce(Remark(spared: spared))
    }
    return [.pause(going.map(\.id))]
  }

  /// Pauses all items. If all are paused, resumes those that this has paused, and not those that a person has paused one
  /// by one, unless there are no others.
  mutating func pauseAll() -> [Effect] {
    let effects = pauseAllOnly()
    guard effects.isEmpty else { return effects }
    let together = items.filter { $0.state == .paused && pausedTogether.contains($0.id) }
    return pause(together.isEmpty ? Array(items) : together)
  }

  /// Pauses all items, and resumes none.
  mutating func pauseAllOnly() -> [Effect] {
    let effects = pauseOnly(Array(items))
    for case .pause(let ids) in effects { pausedTogether.formUnion(ids) }
    return effects
  }

  /// Pauses the items, or resumes them if all are paused.
  mutating func pause(_ items: [UploadItem]) -> [Effect] {
    if items.isEmpty { return refuseWithoutFiles() }
    pausedTogether.subtract(items.map(\.id))
    let effects = pauseOnly(items)
    guard effects.isEmpty else { return effects }
    let paused = items.filter { $0.state == .paused }
    guard !paused.isEmpty else {
      let isHandedOver = items.contains(where: \.state.isHandedOver)
      let why = isHandedOver ? "only a reply is awaited" : "already finished"
      return refuse("nothing to pause: \(why)")
    }
    list.clearMarks()
    record("\(name(of: paused)) resumed")
    return [.resume(paused.map(\.id))]
  }

  /// Whether an item would start again from its first byte if it were broken off now.
  func startsAgain(_ item: UploadItem) -> Bool {
    guard case .sending(_, let sent, _) = item.state else { return false }
    return sent > 0 && !item.canGoOn
  }

  /// Whether breaking off these items would waste over 1 MiB, counting all of them, or over 5 s of sending one of them.
  func losesMuch(_ items: some Collection<UploadItem>) -> Bool {
    loss(of: items).bytes > 1 << 20
      || items.contains { item in
        startsAgain(item) && speeds.beginning(of: item.id).map { now - $0 > 5 } == true
      }
  }

  /// How many of these items would start again if they were broken off now, and how many of their bytes have been sent.
  func loss(of items: some Sequence<UploadItem>) -> (count: Int, bytes: Int64) {
    items.reduce(into: (0, 0)) { loss, item in
      guard startsAgain(item) else { return }
      loss.count += 1
      loss.bytes &+= item.state.bytesAcknowledged(of: item.sentSize) ?? 0
    }
  }

  mutating func askToRemove(_ items: [UploadItem]) -> [Effect] {
    guard !items.isEmpty else { return refuseWithoutFiles() }
    let ids = Set(items.map(\.id))
    let active = items.count(where: \.state.isActive)
    guard active > 0 else { return remove(ids) }
    let mayHaveArrived = items.contains(where: \.state.isHandedOver)
    return ask(.removing(ids, active: active, mayHaveArrived: mayHaveArrived))
  }

  mutating func sort(_ order: SortOrder) -> [Effect] {
    var sorted = order == .reverse ? sortedNow : Sorted(order: order, version: 0)
    if order == .reverse { sorted?.isReversed.toggle() }
    let effects = reorder(order.sorted(queue.rows))
    sorted?.version = queue.version
    self.sorted = sorted
    message = effects.isEmpty ? "the files are already in this order" : "sorted \(order.words)"
    // After sorting, the user wants to see what comes first.
    if !effects.isEmpty { moveCursor(to: 0) }
    return effects
  }

  /// Moves the marked rows, or the one under the cursor, past the next visible row or to the top of the queue.
  private mutating func shift(_ name: Action.Name) -> [Effect] {
    let subjects = subjects
    if subjects.isEmpty { return refuseWithoutFiles() }
    if name == .moveToTop, subjects.allSatisfy(\.state.isDone) { return refuse("already sent") }
    let ids = subjects.map(\.id)
    let moving = Set(ids)
    let positions = ids.compactMap { queue.position(of: $0) }
    guard let first = positions.first, let last = positions.last else { return [.bell] }
    let isTogether = last - first + 1 == positions.count
    let next: Int? =
      switch name {
      case .moveDown: visiblePosition(after: last).map { $0 + 1 }
      case .moveUp: visiblePosition(before: first)
      default: first > 0 ? 0 : nil
      }
    // Files that are not next to each other are also brought together, so moving them is always possible.
    guard next != nil || !isTogether else { return [.bell] }
    let place = next ?? (name == .moveDown ? last + 1 : first)
    let other = queue.rows.dropFirst(place).first { !moving.contains($0.item.id) }
    return move(ids, before: other?.item.id)
  }

  /// The position in the queue of the nearest visible row below or above one.
  private func visiblePosition(after position: Int) -> Int? {
    (0..<rowCount).lazy.compactMap { list.position(of: $0, in: queue) }.first { $0 > position }
  }

  private func visiblePosition(before position: Int) -> Int? {
    (0..<rowCount).reversed().lazy.compactMap { list.position(of: $0, in: queue) }
      .first { $0 < position }
  }
}

extension UploadItem {
  var canBePaused: Bool { !state.isFinished && state != .paused && !state.isHandedOver }
  /// Whether its name, type and target can still be changed.
  var canBeEdited: Bool { !state.isActive && !state.isDone }

  /// Whether it failed in such a way that the server may have it.
  var mayHaveArrived: Bool {
    if case .failed(let failure) = state { failure.mayHaveArrived } else { false }
  }
}
