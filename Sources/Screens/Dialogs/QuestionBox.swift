import Foundation
import ScalarText
import UploadModel

/// A question with its answers as buttons.
struct QuestionBox {
  let question: Question
  let state: AppState
  let size: Size

  private var columns: Range<Int> {
    size.columns(of: [.quitting, .savingRule].contains(question.mode) ? 72 : 56)
  }
  private var width: Int { columns.count }
  private var left: Int { columns.lowerBound }

  /// The buttons that fit, among them the one that is lit and the last one, which leads out. All of them have keys.
  private var shownButtons: [Int] {
    let (all, room) = (question.buttons.count, max(2, size.height - 5))
    guard all > room else { return Array(0..<all) }
    let first = min(max(0, question.lit - room + 2), all - room)
    return Array(first..<first + room - 1) + [all - 1]
  }

  /// The title, the lines of the question, and the rows where the box and its buttons begin.
  private func lines(
    ascii: Bool
  ) -> (title: String, text: [ArraySlice<Glyph>], top: Int, firstButton: Int) {
    let (title, text) = words
    let buttons = shownButtons.count
    // On a small screen, the answers matter more than the end of the question.
    let lines = TextFitting.wrapped(
      Glyphs.of(text, ascii: ascii), to: width - 4, lines: max(1, size.height - buttons - 4),
      ascii: ascii)
    let top = max(1, (size.height - lines.count - buttons - 3) / 2)
    return (title, lines, top, top + lines.count + 2)
  }

  /// The index of the button at a place; nil if no button is there.
  func button(row: Int, column: Int) -> Int? {
    let (place, buttons) = (row - lines(ascii: state.isASCII).firstButton, shownButtons)
    let isInside = (left + 2..<left + width - 2).contains(column)
    return isInside && buttons.indices.contains(place) ? buttons[place] : nil
  }

  func paint(on canvas: inout Canvas) {
    let (title, text, top, first) = lines(ascii: canvas.ascii)
    let height = text.count + shownButtons.count + 3
    canvas.box(row: top, columns: columns, height: height, title: title)
    for (index, line) in text.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.plain))
    }
    let buttons = question.buttons
    for (place, index) in shownButtons.enumerated() {
      let (button, row) = (buttons[index], first + place)
      let isLit = index == question.lit
      let style = canvas.light(row: row, columns: left + 2..<left + width - 2, isLit: isLit)
      canvas.put(
        state.keymap.label(button, ascii: canvas.ascii), row: row, column: left + 4,
        style: isLit ? style : Style(.accent))
      let used = canvas.put(
        hint(of: button), row: row, column: left + 9, width: width - 11, style: style)
      if let cost = cost(of: button.name, fitting: width - 13 - used) {
        canvas.putRight(
          cost, row: row, columns: left + 2..<left + width - 3, style: isLit ? style : Style(.dim))
      }
    }
  }

  /// The label of a button. If nothing is being sent, nothing can be stopped; if another process is there to send, the
  /// queue goes on.
  private func hint(of button: Action) -> String {
    guard button.name == .stopAndQuit else { return button.hint ?? "" }
    if isTakenOver { return "quit; the other hoist goes on" }
    return state.queue.totals.active == 0 ? "quit and keep the queue" : button.hint ?? ""
  }

  /// Whether another process sends the queue as soon as this one has left.
  private var isTakenOver: Bool { state.successors > 0 && state.settings.isStarted }

  private static let mayHaveArrived = "Files awaiting a reply may have arrived."

  /// The title and the question itself.
  var words: (title: String, text: String) {
    switch question.subject {
    case .quitting:
      let totals = state.queue.totals
      var parts: [String] = []
      let moving = totals.active - totals.awaiting
      if moving > 0 { parts.append(HumanReadable.count(moving, "upload") + " under way") }
      if totals.awaiting > 0 {
        parts.append("\(HumanReadable.grouped(totals.awaiting)) only awaiting a reply")
      }
      let held = state.heldBack
      let waiting = totals.waiting + totals.retrying - held
      let rest = state.settings.isStarted ? "still to come" : "stopped"
      if waiting > 0 { parts.append("\(HumanReadable.grouped(waiting)) \(rest)") }
      if totals.paused > 0 { parts.append("\(HumanReadable.grouped(totals.paused)) paused") }
      if state.isReading { parts.append("and the queue is still being read") }
      if parts.isEmpty {
        // The last upload may end while the question is being read.
        parts.append(held > 0 ? "Nothing is being sent" : "Nothing is left to send")
      } else if totals.active == 0 {
        parts[0] = "Nothing is being sent: " + parts[0]
      }
      let wait =
        held > 0
        ? " \(HumanReadable.count(held, "file")) \(held == 1 ? "waits" : "wait") for credentials: "
          + "nothing goes there until you fix that or retry." : ""
      let promise =
        totals.awaiting > 0
        ? " Files awaiting a reply get a moment for it, and may have arrived." : ""
      let far =
        totals.movingBytes &+ totals.keptBytes > 0
        ? " \(HumanReadable.part(totals.share.done, of: totals.share.all)) "
          + "\(totals.wordOfFailures ?? "done")." : ""
      // A cost that does not fit beside the answers is given here.
      let room = width - 13 - (Action.inMode(.quitting).compactMap(\.hint?.count).max() ?? 0)
      let stop = costs(of: .stopAndQuit)
      let price =
        stop.contains { $0.count <= room } ? "" : stop.first.map { " If you stop: \($0)." } ?? ""
      return (
        "Quit?", parts.joined(separator: ", ") + "." + wait + far + price + promise + succession
      )
    case .addingAgain(let files), .editingAnyway(_, let files): return addition(of: files)
    case .sendingAgain(let ids, _):
      return repetition(
        of: ids.compactMap(state.item).map { ($0.fileName, $0.mayHaveArrived || $0.isInDoubt) })
    case .queueingAgain(let rows):
      let sent = rows.count { $0.end == .sent }
      return sent > 0
        ? repetition(of: rows, sent: sent)
        : repetition(of: rows.map { ($0.name, $0.mayBeThere) })
    case .pausing: return ("Pause everything?", loss(of: state.queue.rows.lazy.map(\.item)))
    case .breakingOff(let ids):
      return ("Pause?", loss(of: ids.compactMap(state.item), isNamed: true))
    case .removing(let ids, let active, let mayHaveArrived):
      let others = ids.count > active ? " of the \(HumanReadable.grouped(ids.count))" : ""
      let promise =
        mayHaveArrived
        ? (active == 1 ? "It may have arrived." : Self.mayHaveArrived)
        : active == 1
          ? "The server does not get the whole file." : "The server gets none of them in full."
      let text =
        active == 1
        ? (others.isEmpty ? "\(name(of: ids)) is being sent." : "One\(others) is being sent.")
        : "\(HumanReadable.grouped(active))\(others) are being sent."
      return ("Remove?", "\(text) \(promise)")
    case .deleting(let rows): return deletion(of: rows.map(\.name))
    case .deletingTarget(let name):
      let count = state.filesToSend(to: name)
      let files =
        count == 0
        ? "" : " \(HumanReadable.count(count, "file")) in the queue could no longer be sent."
      let place = state.options.configuration ?? "the configuration"
      return ("Delete the target?", "\(shown(name)) will be removed from \(place).\(files)")
    case .keepingTarget(let words, let isAboutSecret):
      let title =
        isAboutSecret
        ? "The credentials do not work yet" : "The target does not seem to accept uploads"
      return (title, "\(words). You can save it anyway.")
    case .savingRule(let draft): return rule(draft)
    case .nameTaken(let id, _): return takenName(id)
    case .deletingUploaded(let files):
      let (title, text) = deletion(of: files.map(\.name))
      return (title, text + foreignAddresses(of: files))
    }
  }

  /// What becomes of the queue if this process stops and another one is there, and how everything can be stopped.
  private var succession: String {
    guard isTakenOver else { return "" }
    let others =
      state.successors == 1
      ? "Another hoist has this queue open: if you stop here, it"
      : "\(state.successors) other hoists have this queue open: if you stop here, one of them"
    let (cancel, stop) = (
      state.keyLabel(.close, in: .quitting), state.keyLabel(.startStop, in: .queue)
    )
    return " \(others) goes on sending at once. To stop everything, press \(cancel), then \(stop)."
  }

  /// The question about files to be added again.
  private func addition(of files: LeftOut) -> (title: String, text: String) {
    let doubtful = files.doubtful.count
    let kinds = [
      (files.waiting.count, files.waiting.count == 1 ? "is" : "are", "in the queue already"),
      (files.sent.count, files.sent.count == 1 ? "was" : "were", "sent to this target before"),
      (doubtful, "may", "have arrived before"),
    ].filter { $0.0 > 0 }
    let count = files.items.count
    let what =
      if count == 1 {
        "\(shown(files.items[0].fileName)) \(kinds[0].1) \(kinds[0].2)"
      } else {
        kinds.enumerated().map { index, kind in
          let subject =
            index > 0 ? HumanReadable.grouped(kind.0) : HumanReadable.count(kind.0, "file")
          return "\(subject) \(kind.1) \(kind.2)"
        }.joined(separator: ", ")
      }
    let title =
      if doubtful == count {
        "May have arrived"
      } else if files.waiting.isEmpty {
        "Sent before"
      } else {
        files.waiting.count == count ? "Already in the queue" : "Already queued or sent"
      }
    let look = doubtful > 0 ? "; check the server" : ""
    return (
      title, "\(what)\(look). If sent again, \(count == 1 ? "it" : "they") may be stored twice."
    )
  }

  /// The question about a file whose name is taken on the server.
  private func takenName(_ id: ItemID) -> (title: String, text: String) {
    guard let item = state.item(id), let taken = item.state.failure?.taken else {
      return ("The name is taken", "The name is free now.")
    }
    let own = [
      HumanReadable.bytes(item.size),
      item.identity.map {
        TakenName.words(Date(timeIntervalSince1970: Double($0.modified / 1_000_000_000)))
      },
    ]
    let there = taken.words.isEmpty ? "" : ": \(taken.words)"
    let others = state.names.waiting.count - 1
    let more = others > 0 ? " \(HumanReadable.count(others, "more file")) to ask about." : ""
    let all = " A capital letter answers for all further files of this target."
    return (
      "The name is taken",
      "The server has \(shown(taken.name))\(there). This one: "
        + "\(own.compactMap(\.self).joined(separator: ", ")).\(more)\(all)"
    )
  }

  /// The question about a rule of a target.
  private func rule(_ draft: RuleDraft) -> (title: String, text: String) {
    let place = state.options.configuration ?? "the configuration"
    let first = draft.url.map { "\($0) becomes the target \(draft.target) in \(place). " } ?? ""
    let name = draft.url == nil ? "\(shown(draft.target)) in \(place)" : "It"
    return (
      "Make this reply a failure?",
      "\(first)\(name) gets the rule fail_when = \(draft.text), and doubtful files whose replies it fits become unknown."
    )
  }

  /// A name, cut so that the answers stay on the screen.
  private func shown(_ name: String) -> String {
    TextFitting.middle(name, to: width - 4, ascii: state.isASCII)
  }

  /// The name of one of these items: of one that is being sent, if there is one.
  private func name(of ids: Set<ItemID>) -> String {
    let items = ids.compactMap(state.item)
    return shown((items.first(where: \.state.isActive) ?? items.first)?.fileName ?? "")
  }

  /// The question about files some of which may have arrived.
  private func repetition(of doubts: [(name: String, isDoubtful: Bool)]) -> (
    title: String, text: String
  ) {
    let (count, doubtful) = (doubts.count, doubts.count { $0.isDoubtful })
    let what =
      count == 1
      ? "\(shown(doubts[0].name)) may have arrived"
      : doubtful == count
        ? "They may have arrived"
        : "\(HumanReadable.grouped(doubtful)) of the \(HumanReadable.grouped(count)) may have arrived"
    return (
      "Send again?",
      "\(what); check the server. If sent again, \(count == 1 ? "it" : "they") may be stored twice."
    )
  }

  /// Asks about files of the history, of which so many were sent.
  private func repetition(of rows: [HistoryRow], sent: Int) -> (title: String, text: String) {
    let (count, unclear) = (rows.count, rows.count(where: \.mayBeThere))
    let places = shown(targets(of: rows.filter { $0.mayBeThere || $0.end == .sent }))
    let what =
      count == 1
      ? "\(shown(rows[0].name)) was sent to this target before"
      : sent == count
        ? "\(HumanReadable.count(count, "file")) were sent to \(places) before"
        : "\(HumanReadable.grouped(sent + unclear)) of the \(HumanReadable.grouped(count)) were sent to \(places) before"
          + (unclear > 0 ? " or may have arrived" : "")
    return (
      "Send again?",
      "\(what). If sent again, \(count == 1 ? "it" : "they") may be stored twice."
    )
  }

  /// The targets of files of the history, those of most files first: "nas, box and 2 more".
  private func targets(of rows: [HistoryRow]) -> String {
    let counts = rows.reduce(into: [:]) { $0[$1.target, default: 0] += 1 }
    let names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      SafeText.line($0.key)
    }
    let shown = names.count > 3 ? names.prefix(2) + ["\(names.count - 2) more"] : names[...]
    return shown.count > 1
      ? "\(shown.dropLast().joined(separator: ", ")) and \(shown[shown.endIndex - 1])"
      : shown.joined()
  }

  /// How many of these items would start over, in words. They are still being sent while the question is being read.
  /// `isNamed` says that the user named these files, rather than all files.
  private func loss(of items: some Sequence<UploadItem>, isNamed: Bool = false) -> String {
    let (count, bytes) = state.loss(of: items)
    let again = "(\(HumanReadable.bytes(bytes)) sent) and would start again from the first byte."
    return switch count {
    case 0: "Pausing costs nothing now: no upload would start over."
    case 1 where isNamed:
      "\(shown(items.first(where: state.startsAgain)?.fileName ?? "")) is on its way \(again)"
    case 1: "One file is on its way \(again)"
    default: "\(HumanReadable.count(count, "file")) are on their way \(again)"
    }
  }

  /// The cost of a way of leaving, in as many words as fit; nil if none fit, nothing is lost, or it is unknown.
  func cost(of name: Action.Name, fitting width: Int = .max) -> String? {
    costs(of: name).first { $0.count <= width }
  }

  /// The wordings of the cost, from the fullest to the shortest.
  private func costs(of name: Action.Name) -> [String] {
    guard case .quitting = question.subject else { return [] }
    let (totals, speeds) = (state.queue.totals, state.speeds)
    switch name {
    // A stopped queue finishes only what is under way.
    case .finishThenQuit:
      if totals.awaitsReplies { return [state.repliesAwaited] }
      let eta = speeds.totalETA(
        of: totals, isStarted: state.settings.isStarted, limit: state.settings.limit, at: state.now)
      return eta.map { ["about \(HumanReadable.timeLeft($0))"] } ?? []
    case .goOnInBackground, .stopAndQuit:
      let items = state.queue.rows.lazy.map(\.item)
      let bytes = state.loss(of: items).bytes
      let time = speeds.totalSpeed(at: state.now).map { Double(bytes) / max(1, $0) }
      return Self.interruption(of: items, losing: bytes, time)
    default: return []
    }
  }

  /// What becomes of the files under way if they are broken off, each of them counted; those that await a reply are not
  /// broken off. The files that start again have sent `bytes`, for which they need that many seconds.
  private static func interruption(
    of items: some Sequence<UploadItem>, losing bytes: Int64, _ seconds: Double?
  ) -> [String] {
    let brokenOff = items.filter { $0.state.isActive && !$0.state.isHandedOver }
    let resumed = brokenOff.count(where: \.canGoOn)
    let again = brokenOff.count - resumed
    guard again > 0 else {
      return switch resumed {
      case 0: []
      case 1: ["resumes where it left off"]
      default: ["\(HumanReadable.grouped(resumed)) resume where they left off"]
      }
    }
    let files = "\(HumanReadable.count(again, "file")) \(again == 1 ? "starts" : "start") again"
    let others =
      resumed == 0
      ? "" : "; \(HumanReadable.grouped(resumed)) \(resumed == 1 ? "resumes" : "resume")"
    guard bytes > 0 else { return [files + others] }
    let size = HumanReadable.bytes(bytes)
    let time = seconds.map { ", \(HumanReadable.timeLeft($0))" } ?? ""
    return [
      "\(files): \(size)\(time)\(others)", "\(files)\(others)", "\(size) again\(time)",
      "\(size) again",
    ]
  }

  private func deletion(of names: [String]) -> (title: String, text: String) {
    let isOne = names.count == 1
    let what = isOne ? shown(names[0]) : HumanReadable.count(names.count, "file")
    let text = "\(what) will be deleted there, and nothing can bring \(isOne ? "it" : "them") back."
    return ("Delete from the server?", text)
  }

  /// A sentence about the servers, other than the targets' own, that a deletion contacts, since a reply may name any
  /// address; empty if it contacts no others.
  private func foreignAddresses(of files: [UploadedFile]) -> String {
    var places: [String] = []
    for file in files {
      let address = file.deletionURL
      guard let origin = Origin(text: address),
        origin != Origin(text: state.url(ofTarget: file.target))
      else { continue }
      // Only the server is shown for several files, for an address that does not fit, and for one with a user name,
      // since that could be mistaken for the server.
      let isShown =
        files.count == 1 && address.utf8.count <= 2 * width && !address.contains(scalars: "@")
      let place = isShown ? address : origin.description
      if !places.contains(place) { places.append(place) }
    }
    guard !places.isEmpty else { return "" }
    let others = places.count - Self.mostPlaces
    let named =
      places.prefix(Self.mostPlaces).joined(separator: ", ")
      + (others > 0 ? " and \(HumanReadable.grouped(others)) more" : "")
    let place = places.count == 1 ? "is not the target's server" : "are not the targets' servers"
    return " This contacts \(named), which \(place)."
  }

  private static let mostPlaces = 3
}
