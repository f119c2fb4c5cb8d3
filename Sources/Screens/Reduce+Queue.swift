import UploadModel

/// What the keys do while the queue has the keyboard.
extension AppState {
  mutating func performInQueue(_ name: Action.Name) -> [Effect] {
    let page = max(1, layout.rows.count - 1)
    switch name {
    case .down: moveCursor(to: cursor + 1)
    case .up: moveCursor(to: cursor - 1)
    case .pageDown: moveCursor(to: cursor + page)
    case .pageUp: moveCursor(to: cursor - page)
    case .top: moveCursor(to: 0)
    case .bottom: moveCursor(to: queue.count - 1)
    case .add: dialog = .prompt(PathPrompt())
    case .details:
      guard let selected else { return [.bell] }
      dialog = .details(selected.id, scroll: 0)
    case .mark:
      guard let selected else { return [.bell] }
      marks.formSymmetricDifference([selected.id])
      moveCursor(to: cursor + 1)
    case .markAll: marks = Set(queue.rows.map(\.item.id))
    case .invertMarks: marks = Set(queue.rows.map(\.item.id)).subtracting(marks)
    case .clearMarks: marks = []
    case .retry: return retry(targets)
    case .retryAll: return retryAll()
    case .pause: return pause(targets)
    case .remove: return askToRemove()
    case .clearDone: return clearDone()
    case .moveDown: return move(to: cursor + 1)
    case .moveUp: return move(to: cursor - 1)
    case .moveToTop: return move(to: 0)
    case .startStop:
      isStarted.toggle()
      return [.setStarted(isStarted)]
    case .pauseAll: return pause(queue.rows.map(\.item))
    case .limit: dialog = .limit(LimitPrompt(rateLimit))
    case .moreLanes: return setLanes(lanes + 1)
    case .fewerLanes: return setLanes(lanes - 1)
    case .quit: return askToQuit()
    default: break
    }
    return []
  }

  mutating func retry(_ items: [UploadItem]) -> [Effect] {
    let failed = items.filter { $0.state.failure != nil }
    guard !failed.isEmpty else {
      return refuse(items.isEmpty ? "nothing is selected" : "nothing to retry: it has not failed")
    }
    marks = []
    return [.retry(failed.map(\.id))]
  }

  /// Everything that failed, but for what the person stopped and what may have arrived after all.
  private mutating func retryAll() -> [Effect] {
    var ids: [ItemID] = []
    var unknown = 0
    for case (let id, .failed(let failure)) in queue.rows.lazy.map({ ($0.item.id, $0.item.state) })
    {
      switch failure.cause {
      case .cancelled: break
      case .outcomeUnknown: unknown += 1
      default: ids.append(id)
      }
    }
    if unknown > 0 {
      message =
        "\(Wording.count(unknown, "file")) may have arrived: look on the server, then r"
    } else if ids.isEmpty {
      return refuse("nothing has failed")
    }
    return ids.isEmpty ? [.bell] : [.retry(ids)]
  }

  /// As many lanes as the engine has at the most.
  private static let laneRange = 1...64

  private mutating func setLanes(_ count: Int) -> [Effect] {
    guard Self.laneRange.contains(count) else { return [.bell] }
    lanes = count
    message = "\(Wording.count(count, "file")) at once"
    return [.setLanes(count)]
  }

  private mutating func pause(_ items: [UploadItem]) -> [Effect] {
    let going = items.filter { !$0.state.isFinished && $0.state != .paused }
    if !going.isEmpty {
      marks = []
      return [.pause(going.map(\.id))]
    }
    let paused = items.filter { $0.state == .paused }
    guard !paused.isEmpty else { return refuse("nothing to pause: it is finished") }
    marks = []
    return [.resume(paused.map(\.id))]
  }

  private mutating func askToRemove() -> [Effect] {
    let items = targets
    guard !items.isEmpty else { return refuse("nothing is selected") }
    let ids = Set(items.map(\.id))
    guard items.contains(where: \.state.isActive) else { return remove(ids) }
    dialog = .question(Question(.removing(ids)))
    return []
  }

  private mutating func clearDone() -> [Effect] {
    let done = queue.rows.lazy.map(\.item).filter {
      if case .done = $0.state { true } else { false }
    }
    let ids = Set(done.map(\.id))
    return ids.isEmpty ? refuse("nothing is done yet") : remove(ids)
  }

  /// Takes items out, and keeps the cursor on the row it was on, or on what came after it.
  mutating func remove(_ ids: Set<ItemID>) -> [Effect] {
    let before = queue.rows.prefix(cursor).count { ids.contains($0.item.id) }
    let order = ids.compactMap { id in queue.position(of: id).map { ($0, id) } }
      .sorted { $0.0 < $1.0 }
    guard !order.isEmpty else { return [] }
    queue.remove(ids)
    speeds.forget(ids)
    marks.subtract(ids)
    moveCursor(to: cursor - before)
    return [.remove(order.map(\.1))] + leaveIfDone()
  }

  private mutating func move(to target: Int) -> [Effect] {
    guard let selected, target >= 0, target < queue.count, target != cursor else { return [.bell] }
    queue.move(from: cursor, to: target)
    moveCursor(to: target)
    // The engine's line holds only those that wait.
    let next = queue.rows[(target + 1)...].first { $0.item.state == .waiting }?.item.id
    return [.move(selected.id, before: next)]
  }

  private mutating func refuse(_ why: String) -> [Effect] {
    message = why
    return [.bell]
  }
}
