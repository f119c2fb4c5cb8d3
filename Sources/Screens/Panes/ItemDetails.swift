import Scheduling
import UploadModel

/// The details of one item: three lines for the pane below the queue, everything for the dialog.
struct ItemDetails {
  let row: ItemList.Row
  let state: AppState
  private var isASCII: Bool { state.isASCII }

  private var item: UploadItem { row.item }

  /// At most three lines of `width` columns for the pane below the queue.
  func summary(width: Int) -> [TextLine] {
    if item.isInDoubt {
      let place = fact(Self.address, item.url, .accent) + fact("Path", item.location.description)
      return [line(words.forms.first ?? "", .warning, cut: width)]
        + cut(doubtAdvice, .plain, width: width, lines: 1)
        + place.prefix(1).map { Self.leading(line($0.text, $0.role, cut: width), to: $0) }
    }
    if let note = credentialsNote {
      return [line(item.location.description, .plain, cut: width)]
        + cut(note, .warning, width: width, lines: 2)
    }
    guard let failure = item.state.failure else {
      var lines =
        [line(item.location.description, .plain, cut: width)]
        + facts.prefix(2).map { Self.leading(line($0.text, $0.role, cut: width), to: $0) }
      if let graph = graph(width: min(60, width - 24)), lines.count == 3 {
        lines[2].spans.append((Glyphs.of("  " + graph, ascii: isASCII)[...], .accent))
      }
      return lines
    }
    let said = said
    // If the path is to blame, show it.
    let path =
      failure.cause.isOfThePath ? [line(item.location.description, .dim, cut: width)] : []
    let explanation = explanation(of: failure)
    let length = path.count + wrapped(explanation, .plain, width: width).count
    // What the server said gets a second line if the explanation leaves one.
    let words = said.map {
      cut("\u{22}\($0)\u{22}", .warning, width: width, lines: 3 - min(length, 2))
    }
    let room = 3 - path.count - (words?.count ?? 0)
    return path + cut(explanation, .plain, width: width, lines: room) + (words ?? [])
  }

  /// A text in at most so many lines.
  private func cut(_ text: String, _ role: Role, width: Int, lines: Int) -> [TextLine] {
    TextFitting.wrapped(
      Glyphs.of(text, ascii: isASCII), to: width, lines: lines, ascii: isASCII
    ).map { TextLine($0, role) }
  }

  private var words: StateLabel { StateLabel(of: row, in: state) }

  /// The speed over the last few seconds, one column per second; `nil` if nothing has moved.
  private func graph(width: Int) -> String? {
    let graph = state.speeds.graph(of: item.id)
    let text = graph?.text(width: width, at: state.now, ascii: isASCII) ?? ""
    return text.isEmpty ? nil : text
  }

  /// Why the item failed and what to do. After an edit, the advice is left out, since it no longer applies.
  private func explanation(of failure: Failure) -> String {
    guard let before = state.recordAtFailure(of: row) else {
      return item.state.isRetrying
        ? failure.account : failure.explanation(goesOn: item.canGoOn)
    }
    let key = state.keyLabel(.retry)
    let old = before.target.isEmpty ? state.target : before.target
    let new = state.targetName(of: item)
    let (from, to) = old == new ? ("", "as it is now") : (" at \(old)", "to \(new)")
    let outcome =
      failure.mayHaveArrived
      ? "may have arrived\(from)" : "failed with \u{22}\(failure.headline)\u{22}\(from)"
    return "It \(outcome) before it was edited. \(key) sends it \(to)."
  }

  /// What the server said about the item's failure, unless it was said about what is not sent any more.
  private var said: String? { state.recordAtFailure(of: row) == nil ? row.said : nil }

  /// The details for a pane of `width` columns: the state and its reason, the facts, the attempts and the reply.
  func glance(width: Int, texts: Texts) -> [TextLine] {
    let words = words
    let sign = words.sign(ascii: isASCII).text
    let title = wrapped("\(sign) \(words.forms.first ?? "")", words.role, width: width)
    return title + reason(width: width) + [TextLine()] + fields(width: width, isWhole: false)
      + attempts(width: width) + (isReplyNews ? texts.reply : [])
  }

  /// Whether the reply says more than the title. That of a success is for programs, and the title has the sentence that
  /// a failure's reply has for people.
  private var isReplyNews: Bool {
    item.state.receipt.map(\.isDoubtful) ?? true && row.said == nil
  }

  /// Why the item failed, or what can be done about a doubt, below a blank line.
  private func reason(width: Int) -> [TextLine] {
    if item.isInDoubt { return [TextLine()] + wrapped(doubtAdvice, .plain, width: width) }
    guard let failure = item.state.failure else { return [] }
    return [TextLine()] + wrapped(explanation(of: failure), .plain, width: width)
  }

  /// What can be done about a file that counts as sent, although the server may not have it as it is.
  private var doubtAdvice: String {
    let rule = state.keyLabel(.failWhen)
    let failing =
      item.isDoubtful && state.options.configuration != nil && !rule.isEmpty
      ? " \(rule) makes such replies failures." : ""
    return "Look on the server; \(state.keyLabel(.retry)) sends it again.\(failing)"
  }

  /// The file as it was sent; nil if it was not sent, or if there is no record of what was sent.
  private var sent: SentFile? { item.state.receipt?.sent }

  /// The facts, each with its label. The state and those that the reader can do without are there only if `isWhole`.
  private func fields(width: Int, isWhole: Bool) -> [TextLine] {
    var shown = isWhole ? fact("Path", item.location.description) : place
    if let sent {
      let isOther =
        sent.name != item.location.name || sent.mediaType != item.mediaType
        || sent.size != item.size
      let size = HumanReadable.count(Int(sent.size), "byte")
      let words = "\(sent.name), \(sent.mediaType), \(size)"
      if isWhole || isOther { shown += fact("Sent as", words) }
    } else if isWhole || item.fileName != item.location.name {
      shown += fact("Name", item.fileName)
    }
    shown += fact("Field", item.field) + fact("Target", item.target.isEmpty ? nil : item.target)
    // Beside the list, the title has the state, and the attempts are counted where they are listed.
    shown += facts.filter { fact in
      isWhole
        || fact.label != "State" && fact.label != "Status"
          && !(fact.label == "Tries" && hasStory)
    }
    let labels = 9
    shown += fact("Speed", graph(width: width - labels), .accent)
    return shown.flatMap { fact in
      TextLine.labelled(
        (fact.label, .dim), labels: labels, fact.text, fact.role, to: width, ascii: isASCII
      ).map { Self.leading($0, to: fact) }
    }
  }

  /// Where the file is. If it is the title's file, the folder is enough.
  private var place: [Fact] {
    let path = item.location.description
    let end = "/\(item.fileName)"
    guard path.hasSuffix(scalars: end), path.utf8.count > end.utf8.count else {
      return fact("Path", path)
    }
    return fact("Folder", String(path.unicodeScalars.dropLast(end.unicodeScalars.count)))
  }

  /// Everything, in lines of `width` columns, with the reply and the request from `texts`.
  func everything(width: Int, texts: Texts) -> [TextLine] {
    fields(width: width, isWhole: true) + reason(width: width) + texts.reply
      + attempts(width: width) + texts.request
  }

  /// The long texts of the details, in lines.
  struct Texts: Sendable {
    var reply: [TextLine] = []
    var request: [TextLine] = []
  }

  /// The input from which the long texts are laid out.
  struct TextSource: Equatable, Sendable {
    var reply: Reply?
    var serverAnswered: Bool
    /// Whether the reply is to what is not sent any more.
    var wasEdited: Bool
    var request: [String]
    /// When the request would be sent.
    var title: String
    var width: Int
    var isASCII: Bool
  }

  func textSource(width: Int, request: [String]) -> TextSource {
    let reply: Reply? =
      switch item.state {
      case .failed(let failure), .retrying(let failure, _, _, _): failure.reply
      case .done(let receipt): receipt.reply
      case .processing(let processing): processing.receipt.reply
      case .waiting, .preparing, .sending, .awaitingReply, .paused: nil
      }
    // If no request can be made, `request` is the reason in one line. That of a failure is already shown.
    let failure = item.state.failure
    let isReason =
      request == [failure?.explanation]
      || request.count == 1 && failure?.cause.isOfThePath == true
    return TextSource(
      reply: reply, serverAnswered: item.state.serverAnswered,
      wasEdited: state.recordAtFailure(of: row) != nil, request: isReason ? [] : request,
      title: request.count == 1 ? "No request can be made now:" : requestTitle, width: width,
      isASCII: isASCII)
  }

  /// What is above the request, which is that for the whole file.
  private var requestTitle: String {
    if item.state.isDone { return "If sent again, the request would be:" }
    return item.state.isActive || item.canGoOn
      ? "If it were sent from its beginning, the request would be:" : "The request would be:"
  }

  /// Lays out the long texts.
  func texts(_ source: TextSource) -> Texts {
    var texts = Texts()
    if let reply = source.reply {
      texts.reply = words(reply, wasEdited: source.wasEdited, width: source.width)
    }
    if !source.request.isEmpty {
      texts.request = [TextLine(), line(source.title, .heading)]
      texts.request += source.request.flatMap { wrapped($0, .dim, width: source.width) }
    }
    return texts
  }

  /// Whether there is more to say of the attempts than of the only one that succeeded.
  private var hasStory: Bool { row.attempts.count > 1 || row.attempts.first?.isGood == false }

  /// The attempts: when each began and ended, how far it came, and what became of it.
  private func attempts(width: Int) -> [TextLine] {
    guard hasStory else { return [] }
    var lines = row.attempts.flatMap { attempt in
      let (start, end) = (attempt.beginning.map(state.moment), state.clock(attempt.at))
      let time = start.map { $0 == end ? end : "\($0)–\(end)" } ?? state.moment(attempt.at)
      // How the server answered a whole file says enough.
      let isPart = attempt.reached > 0 && attempt.reached < item.sentSize
      let far = isPart ? HumanReadable.part(attempt.reached, of: item.sentSize) + ", " : ""
      return numbered(
        attempt.number, "\(time)  \(far)\(attempt.words)",
        attempt.isGood ? .good : .warning, width: width)
    }
    if let number = item.state.attempt, item.state.isActive,
      let start = state.queue.beginning(of: item.id)
    {
      let number = max(number, lastNumber + 1)
      lines += numbered(number, "since \(state.clock(start))", .accent, width: width)
    }
    return [TextLine(), line("Attempts:", .heading)] + lines
  }

  /// The number of the last attempt in the list; 0 if the list is empty.
  private var lastNumber: Int { row.attempts.last?.number ?? 0 }

  /// How many attempts there were. An attempt's result counts only those since the file was last paused or retried by
  /// hand.
  private func tries(_ counted: Int) -> String { "\(max(counted, lastNumber))" }

  private func numbered(_ number: Int, _ text: String, _ role: Role, width: Int) -> [TextLine] {
    TextLine.labelled(
      ("\(number)", role), labels: 3, text, role, to: width, ascii: isASCII)
  }

  /// The server's message, line by line, made safe.
  private func words(_ reply: Reply, wasEdited: Bool, width: Int) -> [TextLine] {
    guard !reply.text.isBlank else {
      return item.state.serverAnswered
        ? [TextLine(), line("The server said nothing more.", .dim)] : []
    }
    let kind = reply.mediaType.map { " (\($0))" } ?? ""
    let start = wasEdited ? "Before the file was edited, the server said" : "The server said"
    var lines = [TextLine(), line("\(start)\(kind):", .heading)]
    // JSON is laid out for reading, and a page has its text; anything else stays as it was received.
    let readable = JSONText.pretty(reply.text) ?? reply.page?.joined(separator: "\n")
    var said = SafeText.lines(readable ?? reply.text, ascii: isASCII)
    while said.last?.isBlank == true { said.removeLast() }
    for text in said { lines += wrapped(text, .plain, width: width) }
    if reply.isCut { lines.append(line("(Only the beginning was kept.)", .dim)) }
    return lines
  }

  /// The label of the uploaded file's address.
  private static let address = "URL"

  /// The line of a fact, as a link if the fact is an address.
  private static func leading(_ line: TextLine, to fact: Fact) -> TextLine {
    var line = line
    if fact.label == address { line.link = fact.text }
    return line
  }

  private typealias Fact = (label: String, text: String, role: Role)

  private var facts: [Fact] {
    let source = item.typeSource.isEmpty ? "" : ", \(item.typeSource)"
    let type = "\(item.markedType)\(source)"
    let words = words
    let label = words.forms.first ?? ""
    let state = fact("State", label, words.role)
    // If there is a record of what was sent, a separate line shows it.
    let made =
      sent == nil ? item.preparedSize.map { ", \(HumanReadable.bytes($0)) as sent" } ?? "" : ""
    let chosen = item.record.ifThere.map { "the file \($0.words)" }
    let plain =
      fact("If taken", chosen) + fact("Type", type)
      + fact("Size", item.hasSize ? HumanReadable.bytes(item.size) + made : nil)
    switch item.state {
    case .processing(let processing):
      return state + fact("Status", Failure.statusLine(processing.receipt.status)) + plain
    case .waiting, .preparing, .awaitingReply, .paused:
      // The state may already include the note.
      let note = item.note.flatMap { label.contains($0) ? nil : $0 }
      let kept = row.counted
      let percent = HumanReadable.percent(kept, of: item.sentSize)
      let sent = kept > 0 ? "\(HumanReadable.part(kept, of: item.sentSize)), \(percent)%" : nil
      return state + fact("Sent", sent) + fact("Note", credentialsNote ?? waitNote, .warning)
        + fact("Note", copiesNote, .warning) + fact("Note", note, .warning) + plain
    case .sending(_, let sent, let total):
      let percent = HumanReadable.percent(sent, of: total)
      return state + fact("Sent", "\(HumanReadable.part(sent, of: total)), \(percent)%")
        + fact("Pieces", item.resumePoint?.pieceCount?.words)
        + fact("Note", resumption) + plain
    case .done(let receipt):
      return fact(Self.address, receipt.url, .accent) + fact("Deletion", receipt.deletionURL)
        + state + fact("There", receipt.skipped?.words)
        + fact("Time", receipt.skipped == nil ? time(receipt) : nil) + fact("Arrived", arrival)
        + fact("Tries", tries(receipt.attempts))
        + fact("Pieces", receipt.pieces?.words) + plain
    case .failed(let failure), .retrying(let failure, _, _, _):
      let status = self.state.recordAtFailure(of: row) == nil ? failure.status : nil
      return state + fact("Status", status.map(Failure.statusLine))
        + fact("Tries", tries(failure.attempts)) + fact("Pieces", failure.pieces?.words) + plain
    }
  }

  /// A fact as a list, which is empty if there is no text.
  private func fact(_ label: String, _ text: String?, _ role: Role = .plain) -> [Fact] {
    text.map { [(label, $0, role)] } ?? []
  }

  /// How the attempt that is under way began, if not as usual. What is known of an earlier one does not count.
  private var resumption: String? {
    let point = item.resumePoint
    return state.resumption(of: item) ?? (point?.start == 0 ? point?.words : nil)
  }

  /// Why it waits for credentials, and which keys help.
  private var credentialsNote: String? {
    guard item.state == .waiting, case .credentials(let trouble)? = state.obstacle(for: item)
    else { return nil }
    let target = state.targetName(of: item)
    let remedy = state.remedy(trouble, of: target)
    return "\(trouble.story(of: target)): nothing goes there until you fix that \(remedy)"
  }

  /// Whose answer it is that it waits for, and which key does not wait.
  private var waitNote: String? {
    guard item.state == .waiting, case .asked(let wait)? = state.obstacle(for: item) else {
      return nil
    }
    let why = wait.failure.status.map(String.init) ?? wait.failure.headline
    let asker = state.asker(of: wait, besides: state.targetName(of: item)).map { " to \($0)" } ?? ""
    let key = state.keyLabel(.retryAll)
    let host = AppState.host(of: wait.server) ?? "The server"
    return "\(host) answered \(why)\(asker), and asked to wait"
      + (key.isEmpty ? "" : "; \(key) tries now")
  }

  /// A warning that the file will be sent more than once, and how to prevent that.
  private var copiesNote: String? {
    let copies = state.queue.copies(of: item)
    guard copies > 1 else { return nil }
    let (target, key) = (state.targetName(of: item), state.keyLabel(.remove))
    return
      "this file is queued \(copies) times for \(target); \(key) in the queue removes this entry"
  }

  /// When it arrived, if the attempts are not listed.
  private var arrival: String? {
    hasStory ? nil : row.attempts.last.flatMap { $0.isGood ? state.moment($0.at) : nil }
  }

  private func time(_ receipt: Receipt) -> String {
    let mean = receipt.meanSpeed.map { ", \(HumanReadable.speed($0))" } ?? ""
    return
      "\(HumanReadable.bytes(receipt.bytes)) in \(HumanReadable.seconds(receipt.seconds))\(mean)"
  }

  private func line(_ text: String, _ role: Role, cut width: Int = .max) -> TextLine {
    TextLine(
      TextFitting.middle(Glyphs.of(text, ascii: isASCII), to: width, ascii: isASCII)[...], role)
  }

  private func wrapped(_ text: String, _ role: Role, width: Int) -> [TextLine] {
    TextLine.wrapped(text, role, to: width, ascii: isASCII)
  }
}

extension StringProtocol {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension Failure.Cause {
  /// Whether the cause is that nothing at the path can be sent.
  var isOfThePath: Bool {
    switch self {
    case .missing, .unreadable, .notAFile, .changed(.vanished): true
    default: false
    }
  }
}

extension ItemState {
  fileprivate var serverAnswered: Bool { isDone || isProcessed || failure?.status != nil }
}
