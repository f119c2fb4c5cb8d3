import Scheduling
import UploadModel

/// Describes in lines of text what a screen would show, for people who use a screen reader. It reports only news: log
/// lines, messages, questions, and progress in steps of a tenth.
package struct Announcer: Sendable {
  private var spoken = 0
  private var message: String?
  private var tenth = 0
  private var isAsking = false
  private var notice: String?
  private var listed: [Pane: ListRows] = [:]
  private static let mostListed = 10

  /// The target and the version of the rows that were listed last.
  private struct ListRows: Equatable {
    var target = ""
    var version = 0
  }

  package init() {}

  /// The news in `state`, line by line, made safe.
  package mutating func lines(for state: AppState) -> [String] {
    var lines: [String] = []
    if state.notice != notice, let words = state.notice { lines.append(words) }
    notice = state.notice
    let fresh = min(state.log.total - spoken, state.log.lines.count)
    lines += state.log.lines.suffix(max(0, fresh)).filter { !$0.isSaid }.map(\.text)
    spoken = state.log.total
    // A message that is also in the log is not repeated.
    if let words = state.message, words != message, lines.last != words { lines.append(words) }
    message = state.message
    lines += listing(of: state)
    lines += progress(of: state)
    lines += question(of: state)
    return lines.map { SafeText.line($0, ascii: state.isASCII) }
  }

  private mutating func progress(of state: AppState) -> [String] {
    guard let progress = TotalLine(state: state).progressOfAll else {
      defer { tenth = 0 }
      return tenth > 0 && state.queue.totals.all > 0 ? [Self.status(of: state)] : []
    }
    let now = progress.percent / 10
    guard now > tenth else { return [] }
    tenth = now
    return [Self.status(of: state)]
  }

  /// The rows of a pane other than the queue, once they are known; only the beginning of a long list.
  private mutating func listing(of state: AppState) -> [String] {
    var now = ListRows(target: state.target)
    switch state.pane {
    case .queue, .log: return []
    case .server: now.version = state.server.rows.version
    case .history: now = ListRows(version: state.history.rows.version)
    case .targets: now = ListRows(version: state.targets.rows.version)
    }
    let isKnown = now.version > 0 || state.pane == .server && !state.options.listsServer
    guard isKnown, now != listed[state.pane] else { return [] }
    listed[state.pane] = now
    let lines = Self.list(of: state)
    let more = lines.count - Self.mostListed
    return more <= 0
      ? lines
      : lines.prefix(Self.mostListed) + [
        "and \(HumanReadable.grouped(more)) more; enter list for all of them"
      ]
  }

  private mutating func question(of state: AppState) -> [String] {
    let question = Self.question(of: state)
    defer { isAsking = !question.isEmpty }
    return isAsking ? [] : question
  }

  /// The open question in a line, and how to answer it; empty if no question is open.
  package static func question(of state: AppState) -> [String] {
    guard case .question(let question) = state.dialog else { return [] }
    let words = QuestionBox(question: question, state: state, size: state.size).words
    let answers = question.buttons.map {
      "\(state.keymap.label($0, ascii: true)): \($0.hint ?? "")"
    }
    let line = "\(words.title) \(words.text) \(answers.joined(separator: ", "))"
    return [SafeText.line(line, ascii: state.isASCII)]
  }

  /// The overall state, in a line.
  package static func status(of state: AppState) -> String {
    let totals = state.queue.totals
    let counts = [
      (totals.done - totals.skipped - totals.doubtful, "done"), (totals.doubtful, "doubtful"),
      (totals.skipped, "skipped"),
      (totals.failed - totals.notTried, "failed"),
      (totals.notTried, "not tried"), (totals.unknown, "unknown"),
      (totals.active, "under way"),
      (totals.waiting + totals.retrying, "waiting"), (totals.paused, "paused"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    guard !counts.isEmpty else { return emptiness(of: state) }
    let line = "\(counts.joined(separator: ", ")); \(TotalLine(state: state).progress)"
    return SafeText.line(line, ascii: state.isASCII)
  }

  /// What the pane lists, one file on each line.
  package static func list(of state: AppState) -> [String] {
    let lines =
      switch state.pane {
      case .queue, .log: queue(of: state)
      case .server: state.serverWords ?? state.server.listing.rows.map(\.line)
      case .history: state.historyWords ?? state.history.listing.rows.map(\.line)
      case .targets:
        state.targetWords
          ?? state.targets.listing.rows.map { row in
            let status = state.status(of: row).forms.first ?? ""
            let name = row.isUsual ? "* \(row.name)" : row.isConfigured ? row.name : ""
            return [name, row.url, status]
              .filter { !$0.isEmpty }.joined(separator: "  ")
          }
      }
    return lines.map { SafeText.line($0, ascii: state.isASCII) }
  }

  /// The queue, with the numbers by which commands name the files.
  private static func queue(of state: AppState) -> [String] {
    guard state.rowCount > 0 else { return [emptiness(of: state)] }
    return (0..<state.rowCount).compactMap { index in
      state.row(index).map { row in
        let (item, words) = (row.item, StateLabel(of: row, in: state, isPlain: true))
        let size = item.hasSize ? HumanReadable.bytes(item.sentSize) : nil
        return ["\(index + 1)", item.fileName, item.markedType, size, words.forms.first ?? ""]
          .compactMap(\.self).joined(separator: "  ")
      }
    }
  }

  private static func emptiness(of state: AppState) -> String {
    state.isReading ? "the queue is being read" : "the queue is empty"
  }

  package static func help() -> [String] {
    CommandLine.actions.filter { !$0.name.has(.visual) }.map { action in
      let argument = action.argument.map { " \($0)" } ?? ""
      return "\(action.name.word)\(argument): \(action.help)"
    } + [
      "list: the files in the queue, on the server or in the history, one per line",
      "status: the overall progress",
    ]
  }

  /// The text to read out for an open dialog that makes sense only on a screen and must then be closed; nil if no such
  /// dialog is open.
  package static func dialog(of state: AppState) -> [String]? {
    guard let dialog = state.dialog else { return nil }
    switch dialog {
    case .question: return nil
    // Wait until everything is known.
    case .details(let details) where details.request.isEmpty: return nil
    case .details, .page, .help:
      // Narrow enough for one column, since listeners go from top to bottom.
      let box = DialogBox(dialog: dialog, state: state, size: Size(width: 104, height: 60))
      return box.lines.map { $0.spans.flatMap(\.glyphs).map(\.text).joined() }
    case .failures(let failures):
      return failures.groups(of: state.queue).map {
        SafeText.line($0.words, ascii: state.isASCII)
      }
    case .menu(let menu):
      let choices = menu.choices.indices.filter { menu.extra($0) == nil }.map { menu.choices[$0] }
      return ["say which: \(choices.joined(separator: ", "))"]
    case .prompt, .limit, .command, .find, .form, .browser:
      return ["this command needs a screen or an argument; help lists the commands"]
    }
  }
}

extension ServerEntry {
  fileprivate var line: String {
    [name, size.map(HumanReadable.bytes), time, url].compactMap { $0 }.joined(separator: "  ")
  }
}

extension HistoryRow {
  fileprivate var line: String {
    [time, name, HumanReadable.bytes(size), target, outcome, url].compactMap { $0 }.joined(
      separator: "  ")
  }
}

extension AppState {
  /// The action behind an answer to the open question, given as a key or the label of a button; `nil` if no question is
  /// open, or if the text is not an answer. A line that only starts with an answer is not one: it may have been meant
  /// as a command.
  package func answer(_ text: String) -> Action.Name? {
    guard case .question(let question) = dialog else { return nil }
    let text = text.lowercased()
    return question.buttons.first { button in
      let keys = keymap.keys(for: button).map { $0.label(ascii: true).lowercased() }
      let hint = (button.hint ?? "").lowercased()
      let word = String(hint.prefix { $0.isLetter })
      let plain = keys.compactMap { ["y": "yes", "n": "no"][$0] }
      return (keys + plain + [hint, word]).contains(text)
    }?.name
  }

  /// Whether a question is open.
  package var isAsking: Bool { if case .question = dialog { true } else { false } }
}
