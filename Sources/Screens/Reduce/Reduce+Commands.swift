import Glibc
import ScalarText
import UploadModel

/// The command line and its completion.
extension AppState {
  mutating func perform(_ name: Action.Name, in prompt: CommandPrompt) -> [Effect] {
    switch name {
    case .close: (dialog, chosenTheme) = (nil, prompt.theme)
    case .accept:
      (dialog, chosenTheme) = (nil, prompt.theme)
      return run(prompt.line.field.text)
    case .complete where prompt.isPointing && prompt.line.chosen != nil: take(prompt)
    case .complete: return complete(prompt, step: 1)
    case .completeBack: return complete(prompt, step: -1)
    case .earlier: point(prompt, step: -1)
    case .later: point(prompt, step: 1)
    default: edit(name)
    }
    return []
  }

  /// While a theme is named on the command line, the screen shows it, as while it is chosen from the list.
  mutating func showNamedTheme() {
    guard case .command(let prompt) = dialog else { return }
    let command = CommandLine(prompt.line.field.text)
    let named =
      command?.action?.name == .theme
      ? command.flatMap { options.theme.changed(to: $0.argument.lowercased()) } : nil
    chosenTheme = named ?? prompt.theme
  }

  /// Goes through the list above the line or, as in a shell, through the earlier lines as long as nothing is typed.
  private mutating func point(_ prompt: CommandPrompt, step: Int) {
    let isNew = prompt.earlier == nil && (step > 0 || !prompt.line.field.text.isEmpty)
    let (before, word) = CommandLine.lastWord(of: prompt.line.field.head)
    let isStepping = prompt.line.chosen != nil
    let offered = isNew && !isStepping ? choices(for: word, after: before)?.first ?? [] : []
    guard isStepping || !offered.isEmpty else { return recall(prompt, step: step) }
    var prompt = prompt
    prompt.isPointing = true
    prompt.line.step(step, through: offered.map { before + $0.word })
    dialog = .command(prompt)
  }

  private mutating func take(_ prompt: CommandPrompt) {
    var prompt = prompt
    let isCommand = CommandLine(CommandLine.lastWord(of: prompt.line.field.head).before) == nil
    let action = CommandLine(prompt.line.field.text)?.action
    prompt.line.take(beforeArgument: isCommand && action?.argument != nil)
    prompt.isPointing = false
    dialog = .command(prompt)
  }

  /// Runs a line of the command line.
  mutating func run(_ line: String) -> [Effect] {
    guard let command = CommandLine(line) else { return [] }
    commands.removeAll { $0 == line }
    commands.append(line)
    if commands.count > 100 { commands.removeFirst() }
    guard let action = command.action else {
      let near = CommandLine.nearest(command.word).map { "; did you mean \($0.name.word)?" }
      return refuse("no command is called \"\(command.word)\"\(near ?? "; help lists them")")
    }
    guard command.argument.isEmpty || action.argument != nil else {
      return refuse("\(command.word) takes no argument, but \"\(command.argument)\" was given")
    }
    if isSetup { return performEverywhere(action.name) ?? performInSetup(action.name) }
    if isReading, action.name.has(.edits) { return refuse(Self.isStillRead) }
    // An action that the current pane does not have is meant for the queue.
    if !Action.inMode(pane.mode).contains(where: { $0.name == action.name }) { show(.queue) }
    if command.resumesFiles { return resume(command.argument) }
    guard command.argument.isEmpty else { return run(action.name, command.argument) }
    if action.name == .startStop, command.wantsStart == settings.isStarted {
      return refuse(
        settings.isStarted ? "the queue is not stopped" : "the queue is stopped already")
    }
    if action.name == .lanes {
      return refuse("lanes: give the number of files to send at once, such as lanes 4, or auto")
    }
    return performEverywhere(action.name) ?? performInPane(action.name)
  }

  private mutating func run(_ name: Action.Name, _ argument: String) -> [Effect] {
    switch name {
    case .add: return [.add(PastedPaths.typed(argument))]
    case .rename: return openForm(subjects, names: argument)
    case .limit:
      guard let limit = LimitPrompt(text: argument).answer else {
        return refuse("limit: \"\(argument)\" is not a speed; give one like 2 MB/s or 500k, or off")
      }
      return setLimit(limit)
    case .lanes:
      if argument == "auto" {
        let configured = configuredConcurrency(of: rowTarget)
        return setConcurrency(configured.isAuto ? configured : .automatic)
      }
      guard let count = Int(argument), Concurrency.range.contains(count) else {
        return refuse(
          "lanes: expected a number from \(HumanReadable.range(Concurrency.range)), or auto, not \"\(argument)\""
        )
      }
      return setConcurrency(.fixed(count))
    case .target: return switchTarget(argument)
    case .filter:
      change(.filter(argument))
      return []
    case .find:
      sought = Matcher(argument)
      return findNext(step: 1)
    case .sort:
      show(.queue)
      guard let order = SortOrder(word: argument) else {
        let orders = SortOrder.allCases.map(\.rawValue).joined(separator: ", ")
        return refuse("sort: expected one of \(orders), not \"\(argument)\"")
      }
      return sort(order)
    case .theme:
      guard let theme = options.theme.changed(to: argument.lowercased()) else {
        return refuse("theme: expected one of \(Theme.names), not \"\(argument)\"")
      }
      choose(theme)
      return []
    default: return run(name, onFiles: argument)
    }
  }

  /// Runs an action on files.
  private mutating func run(_ name: Action.Name, onFiles argument: String) -> [Effect] {
    guard let items = files(named: argument, for: name.word) else { return [.bell] }
    switch name {
    case .retry: return retry(items)
    case .remove: return askToRemove(items)
    case .arrived: return confirmArrival(of: items)
    case .pause: return pause(items)
    case .edit: return openForm(items)
    case .details: return items.first.map { openDetails($0.id) } ?? []
    default: return []
    }
  }

  /// Resumes the paused ones of some files.
  private mutating func resume(_ argument: String) -> [Effect] {
    guard let items = files(named: argument, for: "resume") else { return [.bell] }
    let paused = items.filter { $0.state == .paused }
    return paused.isEmpty ? refuse("nothing to resume: not paused") : pause(paused)
  }

  /// The files that are given by their numbers in the list, by name, or by the word for their state; nil if there is no
  /// such file, which is said.
  private mutating func files(named argument: String, for command: String) -> [UploadItem]? {
    guard queue.count > 0 else {
      message = "\(command): \(Self.nothingQueued)"
      return nil
    }
    var items: [UploadItem] = []
    for word in PastedPaths.shellWords(argument) ?? [argument] {
      if let number = Int(word), number > 0, let row = row(number - 1) {
        items.append(row.item)
        continue
      }
      var named = self.items.filter { $0.fileName == word || $0.location.description == word }
      // A name may contain a star or be such a word, so the names come first.
      let kind = RowKind(word).flatMap { $0.isState ? $0 : nil }
      if named.isEmpty {
        named = self.items.filter { item in
          kind.map(item.state.is) ?? (word == "all" || fnmatch(word, item.fileName, 0) == 0)
        }
      }
      if named.isEmpty {
        let isWhat = kind == nil ? "is called \"\(word)\"" : "is \(word)"
        message = "\(command): no file in the queue \(isWhat)"
        return nil
      }
      items += named
    }
    show(.queue)
    stopFollowing()
    return items
  }

  private mutating func recall(_ prompt: CommandPrompt, step: Int) {
    var prompt = prompt
    let next = (prompt.earlier ?? commands.count) + step
    guard (0...commands.count).contains(next) else { return }
    prompt.earlier = next < commands.count ? next : nil
    prompt.line.edit { $0.set(next < commands.count ? commands[next] : "") }
    dialog = .command(prompt)
  }

  private mutating func complete(_ prompt: CommandPrompt, step: Int) -> [Effect] {
    var prompt = prompt
    prompt.isPointing = false
    let head = prompt.line.complete(step: step)
    dialog = .command(prompt)
    guard let head else { return [] }
    let path = LastWord(of: head)
    if CommandLine(path.before)?.action?.name == .add {
      return path.isPath ? [.complete(path.text)] : [.bell]
    }
    let (before, word) = CommandLine.lastWord(of: head)
    let words = choices(for: word, after: before)?.first.map { before + $0.word } ?? []
    return offer(words, for: head, in: prompt, isRanked: true)
  }

  private mutating func offer(
    _ answers: [String], for head: String, in prompt: CommandPrompt, isRanked: Bool = false
  ) -> [Effect] {
    var prompt = prompt
    let isOfUse = prompt.line.offer(answers, for: head, isRanked: isRanked)
    dialog = .command(prompt)
    return isOfUse ? [] : [.bell]
  }

  /// Offers paths for the last word of the command line.
  mutating func offerPaths(
    _ paths: [String], for text: String, in prompt: CommandPrompt
  ) -> [Effect] {
    let head = prompt.line.field.head
    let word = LastWord(of: head)
    // If the user has typed on, the answer is outdated.
    guard word.text.hasSameScalars(as: text) else { return [] }
    return offer(paths.map(word.line), for: head, in: prompt)
  }
}
