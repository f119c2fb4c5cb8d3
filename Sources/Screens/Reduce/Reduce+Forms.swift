import UploadModel

/// The actions while a form is being filled in.
extension AppState {
  /// The screen of a first start: nothing but the form for a new target.
  package static func setup(isASCII: Bool, size: Size, now: Instant, options: Options) -> AppState {
    var state = AppState(
      target: "no target yet", url: "no target yet", isASCII: isASCII, size: size, now: now)
    state.options = options
    state.isSetup = true
    _ = state.openTargetForm("")
    return state
  }

  /// Whether a first start has nothing that the user would lose if the queue were shown instead.
  package var givesWay: Bool {
    guard let dialog else { return closedSetup?.isUntouched ?? true }
    guard dialogs.count == 1, case .form(let form) = dialog else { return false }
    return form.isUntouched
  }

  /// Opens the form for a new target. `words` are what the user has already typed: a URL, or a name for the target.
  mutating func openTargetForm(_ words: String) -> [Effect] {
    let form = Form(forTarget: words, isFirst: isSetup, services: !options.services.isEmpty)
    open(.form(closedSetup ?? form))
    closedSetup = nil
    return []
  }

  /// On a first start, most actions have to wait for a target.
  mutating func performInSetup(_ name: Action.Name) -> [Effect] {
    switch name {
    case .quit: return askToQuit()
    case .command: dialog = .command(CommandPrompt(theme: chosenTheme))
    case .target, .targets, .add, .browse, .details, .edit: return openTargetForm("")
    case .clearMarks: break
    case _ where name.has(.looks): break
    default: return refuse("there is no target yet: \(keyLabel(.target)) makes one")
    }
    return []
  }

  /// Opens the list that a value of the form is chosen from, showing what contains `filter`.
  mutating func openChoices(of form: Form, filter: String = "") -> [Effect] {
    let field = form.rows[form.focus].field
    var menu =
      field == .service
      ? Menu(services: Form.choices(of: options.services))
      : Menu(
        targets: options.targets, for: .form(field), makesNew: options.configuration != nil)
    let text = form.rows[form.focus].text.text
    let height = MenuBox.lines(menu, in: size)
    let row = menu.choices.firstIndex { $0.hasSameScalars(as: text) } ?? 0
    menu.list.move(to: row, of: menu.choices.count, height: height)
    if !filter.isEmpty { menu.edit(height: height) { $0.set(filter) } }
    open(.menu(menu))
    return []
  }

  /// Turns a yes of a form into a no, or the other way round; `isOn` says which is wanted, if either is.
  mutating func turn(_ form: Form, to isOn: Bool? = nil) -> [Effect] {
    var form = form
    let isTurned = form.turn(to: isOn)
    dialog = .form(form)
    return isTurned ? [] : [.bell]
  }

  /// Takes the completions of a path in a form.
  mutating func offer(_ paths: [String], for text: String, in form: Form) -> [Effect] {
    var form = form
    let isOfUse = form.offer(paths, for: text)
    if !isOfUse { form.complaint = "nothing starts with this" }
    dialog = .form(form)
    return isOfUse ? [] : [.bell]
  }

  /// - Parameter names: what the user has already typed for the new names.
  mutating func openForm(_ items: [UploadItem], names: String? = nil) -> [Effect] {
    guard !items.isEmpty else { return refuseWithoutFiles() }
    let editable = items.filter(\.canBeEdited)
    guard !editable.isEmpty else { return refuse(whyNotEdited(items)) }
    var form = Form(editable, hasTargets: options.hasTargets, names: names)
    form.alreadySent = items.count(where: \.state.isDone)
    form.beingSent = items.count - editable.count - form.alreadySent
    dialog = .form(form)
    return options.configuration == nil ? [] : [.readTargets]
  }

  /// Why none of these files can be edited, and what to do.
  private func whyNotEdited(_ items: [UploadItem]) -> String {
    let active = items.filter(\.state.isActive)
    guard let first = active.first else { return "already sent, so there is nothing to edit" }
    let others = active.count > 1 ? " and \(HumanReadable.grouped(active.count - 1)) more" : ""
    let (be, them) = active.count > 1 ? ("are", "them") : ("is", "it")
    let awaitsReply = active.allSatisfy(\.state.isHandedOver)
    return "\(first.fileName)\(others) \(be) being sent"
      + (awaitsReply ? ", and only a reply is awaited" : ": pause \(them) before you edit \(them)")
  }

  mutating func perform(_ name: Action.Name, in form: Form) -> [Effect] {
    var form = form
    switch (name, form.subject) {
    case (.close, .target(isFirst: true)) where form.isTrying:
      form.isTrying = false
      dialog = .form(form)
      return [.stopSetUp]
    case (.close, let subject):
      dialog = nil
      if case .target(isFirst: true) = subject { closedSetup = form }
      return form.isTrying ? [.stopSetUp] : []
    // What is being looked up or tried is not changed any more.
    case _ where form.isWaiting: return []
    case (.complete, _) where form.rows[form.focus].isPath && form.candidates.isEmpty:
      return [.complete(form.rows[form.focus].text.head)]
    case (.complete, _), (.next, _): form.moveFocus(by: 1)
    case (.previous, _): form.moveFocus(by: -1)
    case (.left, _) where form.rows[form.focus].field.isSwitch,
      (.right, _) where form.rows[form.focus].field.isSwitch:
      return turn(form)
    case (.accept, _) where form.rows[form.focus].field == .service:
      return openChoices(of: form)
    case (.accept, let subject):
      form.expand(home: options.home)
      if let error = form.firstError(targets: options.targets.map(\.name)) {
        (form.focus, form.complaint) = (error.row, error.words)
      } else {
        switch subject {
        case .items(let ids): return change(ids, as: form)
        case .edited(let row) where form.answers.name != row.name && filesToSend(to: row.name) > 0:
          let files = HumanReadable.count(filesToSend(to: row.name), "file")
          form.complaint = "cannot rename it: the queue has \(files) for this target"
        case .edited(let row) where form.changed(row) == row && form.newToken.isEmpty:
          dialog = nil
          message = "\(row.name) stays as it is"
          return []
        case .target, .edited: return write(form)
        }
      }
      dialog = .form(form)
      return [.bell]
    default:
      edit(name)
      return []
    }
    dialog = .form(form)
    return []
  }

  /// Requests that the target of a form be tried and written into the configuration.
  private mutating func write(_ form: Form, isGoodEnough: Bool = false) -> [Effect] {
    var form = form
    form.isTrying = true
    form.obstacle = isGoodEnough ? form.complaint : nil
    dialog = .form(form)
    guard case .edited(let row) = form.subject else {
      let isInEdit = dialogs.contains { $0.mode == .form }
      // The first target of all becomes the default, so what is added later goes there, too.
      let isForEdit = isInEdit && !options.targets.isEmpty
      return [.setUp(form.answers, isGoodEnough: isGoodEnough, isForEdit: isForEdit)]
    }
    return [
      .changeTarget(
        row, to: form.changed(row), token: form.newToken, isGoodEnough: isGoodEnough)
    ]
  }

  /// Saves a target although it did not seem to take uploads when it was tried.
  mutating func keepTarget() -> [Effect] {
    guard case .form(let form) = dialog, form.mode == .setup else { return [] }
    return write(form, isGoodEnough: true)
  }

  private mutating func change(_ ids: [ItemID], as form: Form) -> [Effect] {
    dialog = nil
    let items = ids.compactMap(item)
    if items.isEmpty { return refuse(notChanged(ids.count)) }
    // Items may have changed since the form was opened.
    let editable = items.filter { !$0.state.isActive && !$0.state.isDone }
    if editable.count < items.count { return refuse("not changed, because sending has begun") }
    let edited = form.apply(to: editable)
    if let words = sameName(after: edited) {
      var form = form
      form.refuse(names: words)
      open(.form(form))
      return [.bell]
    }
    // As with a file that is added: its target may have it already.
    let isElsewhere = edited.contains { after in
      item(after.id).map { $0.target != after.target || $0.location != after.location } ?? false
    }
    guard isElsewhere else { return apply(edited, gone: ids.count - items.count) }
    // Until the answer comes, the form stays, since nothing is changed yet.
    var form = form
    form.isLookedUp = true
    open(.form(form))
    return [.lookForEdited(edited)]
  }

  /// Which files an edit would give the same name at the same target, in words; nil if it gives none the same.
  private func sameName(after edited: [UploadItem]) -> String? {
    let lenient = Set(options.targets.filter(\.takesSameNames).map(\.name))
    let naming = Set(options.targets.filter(\.namesFiles).map(\.name))
    func keepsName(_ item: UploadItem) -> Bool {
      item.nameIsChosen || !naming.contains(targetName(of: item))
    }
    let renamed = edited.filter { after in
      let isElsewhere = item(after.id).map { before in
        !before.fileName.utf8.elementsEqual(after.fileName.utf8)
          || targetName(of: before) != targetName(of: after)
      }
      return isElsewhere == true && keepsName(after)
        && !lenient.contains(targetName(of: after))
    }
    guard !renamed.isEmpty else { return nil }
    let ids = Set(renamed.map(\.id))
    let changed = Dictionary(uniqueKeysWithValues: edited.map { ($0.id, $0) })
    let others = items.lazy.map { changed[$0.id] ?? $0 }.filter { other in
      !ids.contains(other.id) && !other.state.isDone && keepsName(other)
    }
    guard let (first, second) = Renaming.sameName(in: renamed, beside: others) else { return nil }
    let (one, other) = (item(first.id) ?? first, item(second.id) ?? second)
    return "\(one.fileName) and \(other.fileName) would both be \(first.fileName)"
  }

  /// Says in the form that waits for it why no file can be sent from the path that was typed.
  mutating func refuse(path words: String) -> [Effect] {
    var isWanted = false
    changeDialogs { dialog in
      guard case .form(var form) = dialog, form.isLookedUp else { return dialog }
      isWanted = true
      form.refuse(path: words)
      return .form(form)
    }
    return isWanted ? [.bell] : []
  }

  /// Changes items, once it is known which of them are at their new targets already; asks first if some are.
  mutating func apply(_ edited: [UploadItem], unless there: LeftOut) -> [Effect] {
    var isWanted = false
    changeDialogs { dialog in
      guard case .form(let form) = dialog, form.isLookedUp else { return dialog }
      isWanted = true
      return nil
    }
    // The user may have closed the form.
    guard isWanted else { return [] }
    // If two failed copies of a file are edited together, the second is one too many there, too.
    var (there, seen) = (there, Set<[UInt8]>())
    there.waiting = edited.filter { after in
      let isFirst = seen.insert(after.location.bytes + [0] + Array(after.target.utf8)).inserted
      return item(after.id).map { $0.target != after.target || $0.location != after.location }
        == true && (!isFirst || queue.copies(of: after) > 0)
    }
    guard !there.items.isEmpty else { return apply(edited) }
    open(.question(Question(.editingAnyway(edited, there))))
    return []
  }

  /// Changes items. `gone` is how many more were to be changed, but are no longer there.
  mutating func apply(_ edited: [UploadItem], gone: Int = 0) -> [Effect] {
    let gone = gone + edited.count { item($0.id) == nil }
    let there = edited.filter { item($0.id) != nil }
    if there.isEmpty { return refuse(notChanged(gone)) }
    // A pattern may leave some names as they are.
    let edited = there.filter { after in item(after.id).map { $0.record != after.record } == true }
    let editable = edited.filter { after in
      item(after.id).map { !$0.state.isActive && !$0.state.isDone } ?? false
    }
    if editable.count < edited.count { return refuse("not changed, because sending has begun") }
    let effects = edit(editable)
    guard !effects.isEmpty else { return [] }
    list.clearMarks()
    let changed = "\(HumanReadable.count(editable.count, "file")) changed"
    let (retry, undo) = (keyLabel(.retry), keyLabel(.undo))
    // A file that was missing may be there by now, but a link that leads nowhere needs another path.
    let again = editable.compactMap { queue.row($0.id) }
      .filter { row in
        if case .notAFile? = row.item.state.failure?.cause {
          return recordAtFailure(of: row) != nil
        }
        return row.item.state.isFailed
      }.map(\.item.id)
    choose(again, for: .retry)
    let which = again.count == 1 ? "it" : "them"
    let those =
      again.count == editable.count
      ? which : again.count == 1 ? "the one that failed" : "the \(again.count) that failed"
    let hints = [
      again.isEmpty || retry.isEmpty ? "" : " · \(retry) sends \(those) again",
      undo.isEmpty ? "" : " · \(undo) undoes",
    ]
    message = changed + hints.joined()
    let others = notThere(gone)
    if gone > 0 { message? += "; \(others)" }
    return effects
  }

  private func notChanged(_ gone: Int) -> String { "not changed: \(notThere(gone))" }

  /// Another window may have removed items while they were being edited.
  private func notThere(_ count: Int) -> String {
    count == 1
      ? "the file is no longer in the queue"
      : "\(HumanReadable.count(count, "file")) are no longer in the queue"
  }
}
