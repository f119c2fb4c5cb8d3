import UploadModel

/// What becomes of the screen when `event` happens, and what is to be done about it.
public func reduce(_ state: inout AppState, _ event: AppEvent) -> [Effect] {
  switch event {
  case .key(let key): return state.press(key)
  case .paste(let text): return state.paste(text)
  case .resized(let size):
    state.size = size
    state.moveCursor(to: state.cursor)
    state.limitScroll()
    return []
  case .engine(let changes, let now): return state.note(changes, at: now)
  case .added(let items):
    state.queue.append(items)
    state.moveCursor(to: state.cursor)
    return state.leaveIfDone()
  case .completions(let text, let candidates):
    guard case .prompt(var prompt) = state.dialog else { return [] }
    let isOfUse = prompt.offer(candidates, for: text)
    state.dialog = .prompt(prompt)
    return isOfUse ? [] : [.bell]
  case .message(let text):
    state.message = text
    return []
  case .notice(let text):
    state.notice = text
    state.moveCursor(to: state.cursor)
    return []
  case .tick(let now):
    state.now = max(state.now, now)
    return []
  case .resumed: return [.redraw]
  case .terminate: return [.quit(.stopping)]
  }
}

extension AppState {
  fileprivate mutating func press(_ key: Key) -> [Effect] {
    message = nil
    if let name = Action.asked(by: key, in: mode) { return perform(name) }
    if case .character(let character) = key { editField { $0.insert(String(character)) } }
    return []
  }

  fileprivate mutating func perform(_ name: Action.Name) -> [Effect] {
    switch name {
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .interrupt: return interrupt()
    case .help:
      dialog = .help(scroll: 0)
      return []
    default: break
    }
    switch dialog {
    case .none: return performInQueue(name)
    case .prompt(let prompt): return perform(name, in: prompt)
    case .limit(let prompt): return perform(name, in: prompt)
    case .details(let id, _) where name == .retry:
      return retry(queue.row(id).map { [$0.item] } ?? [])
    case .details, .help: return scrollDialog(name)
    case .question(let question): return perform(name, in: question)
    }
  }

  fileprivate mutating func paste(_ text: String) -> [Effect] {
    message = nil
    switch dialog {
    case .none:
      if let paths = PastedPaths.parse(text) { return [.add(paths)] }
      // Not plainly paths: let the person see and mend it.
      let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      if !line.isEmpty { dialog = .prompt(PathPrompt(line)) }
      return []
    case .prompt(let prompt):
      let paths = PastedPaths.parse(text) ?? []
      if prompt.field.text.isEmpty, paths.count > 1 {
        dialog = nil
        return [.add(paths)]
      }
      if prompt.field.text.isEmpty, paths.count == 1, case .exact(let path) = paths[0] {
        editField { $0.insert(path) }
      } else {
        editField { $0.insert(text.filter { !$0.isNewline }) }
      }
      return []
    case .limit:
      editField { $0.insert(text.filter { !$0.isNewline }) }
      return []
    case .details, .help, .question: return []
    }
  }

  /// The engine's changes, in order.
  fileprivate mutating func note(_ changes: [(ItemID, ItemState)], at moment: Moment) -> [Effect] {
    now = max(now, moment)
    for (id, new) in changes {
      guard let size = queue.row(id)?.item.size, let old = queue.setState(id, new) else { continue }
      speeds.note(id, size: size, from: old, to: new, at: now)
    }
    speeds.settle(isBusy: queue.totals.busy > 0, at: now)
    limitScroll()
    return leaveIfDone()
  }

  mutating func leaveIfDone() -> [Effect] {
    leavesWhenDone && queue.totals.busy == 0 ? [.quit(.idle)] : []
  }

  /// `^c` asks to quit; pressed again while that is being asked, it does not ask.
  private mutating func interrupt() -> [Effect] {
    if case .question(let question) = dialog, question.mode == .quitting { return [.quit(.forced)] }
    return askToQuit()
  }

  mutating func askToQuit() -> [Effect] {
    if queue.totals.busy + queue.totals.paused == 0 { return [.quit(.idle)] }
    dialog = .question(Question(.quitting))
    return []
  }
}
