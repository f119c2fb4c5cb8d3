import UploadModel

extension ListPane<TargetRow> {
  /// The pane of the configuration's targets and their states.
  init(targets state: AppState, layout: Layout, width: Int) {
    let widths = TargetWidths(in: width, of: state)
    var rest = ColumnsFromRight(end: width - 1)
    let status = rest.take(widths.status, gap: 2)
    let usual = rest.take(widths.usual, gap: 2)
    let files = rest.take(widths.files, gap: 2)
    let limits = rest.take(widths.limits, gap: 2)
    let name = 4..<min(rest.end, 4 + widths.name)
    let start = min(rest.end, name.upperBound + 2)
    let end = width >= 60 ? rest.end : start
    self.init(
      layout: layout, list: state.shown, row: state.targets.row,
      isMarked: { state.targets.list.marks.contains($0.id) }, message: state.targetWords,
      columns: [
        Column(place: 2..<3, role: { _ in .accent }) {
          $0.name == state.target ? Glyph(sign: "✓", ascii: state.isASCII).text : ""
        },
        Column(heading: "NAME", place: name, matcher: state.litMatcher) { $0.shownName },
        Column(heading: "URL", place: start..<end, role: { _ in .dim }) { $0.url },
        Column(heading: "", place: usual, role: { _ in .accent }) { $0.isUsual ? "default" : "" },
        Column(heading: "LIMITS", place: limits, role: { _ in .dim }) { state.limits(of: $0) },
        Column(
          heading: "FILES", place: files,
          role: { state.counts(of: $0.name).hasProblems ? .warning : .dim },
          text: { state.counts(of: $0.name).words(fitting: files.count) }),
        Column(heading: "STATE", place: status, role: { state.status(of: $0).role }) {
          // In a narrow window, the files are counted here, if nothing is wrong and nothing was asked.
          let (words, role) = state.status(of: $0, fitting: status.count)
          let isTried = state.trials[$0.name] != nil
          let count = files.isEmpty ? state.counts(of: $0.name).words(fitting: status.count) : ""
          return count.isEmpty || isTried || role == .bad || role == .warning ? words : count
        },
      ])
  }
}

/// How wide the columns of the pane of targets are. In a wide window, each gets what its words need before any of them
/// gets more. Where there is no room for the fullest words, that is what the words need that are shown instead.
private struct TargetWidths {
  let name: Int
  /// 0 if there is no room for such a column, or nothing to say in it.
  private(set) var usual = 0, files = 0, limits = 0
  private(set) var status: Int
  /// Most addresses are no longer than this.
  private static let usualURL = 34

  init(in width: Int, of state: AppState) {
    let rows = state.targets.rows.all
    func longest(_ words: (TargetRow) -> String) -> Int {
      rows.map { Glyphs.width(Glyphs.of(words($0), ascii: false)) }.max() ?? 0
    }
    name = max(8, longest(\.shownName))
    let words = longest { state.status(of: $0).forms.first ?? "" }
    let most = (
      files: longest { state.counts(of: $0.name).widest() },
      limits: longest(state.limits(of:)), url: longest(\.url)
    )
    let url = min(most.url, Self.usualURL)
    guard width >= 60 else {
      status = 16
      return
    }
    usual = rows.contains(where: \.isUsual) ? 7 : 0
    // The room that is left once most addresses fit.
    var room = width - 1 - (4 + name + 2) - (usual > 0 ? usual + 2 : 0) - url
    guard width >= 100 else {
      status = max(12, min(room - 2, max(words, most.files)))
      return
    }
    // The counts need the room more than a column that has nothing to say.
    status = max(12, longest { state.status(of: $0, fitting: min(30, words)).words })
    room -= status + 2
    let least = 14
    func take(_ most: Int, leaving others: Int = 0) -> Int {
      guard most > 0 else { return 0 }
      let taken = min(max(most, 6), max(least, room - others - 2))
      room -= taken + 2
      return taken
    }
    // What became of the files comes before the limits, which do not change.
    let hasLimits = width >= 110 && most.limits > 0
    let lanes = hasLimits ? longest { state.lanes(of: $0.name).words } : 0
    let full = take(most.files, leaving: hasLimits ? max(lanes, least) + 2 : 0)
    files = min(full, max(6, longest { state.counts(of: $0.name).widest(fitting: full) }))
    room += full - files
    if hasLimits { limits = take(most.limits) }
    // A long address is cut before anything else is, and the last column gets the rest.
    status += max(0, room - (most.url - url))
  }
}

extension TargetRow {
  /// Its name; a dash if it has none but its URL.
  fileprivate var shownName: String { isConfigured ? name : "—" }
}

extension AppState {
  /// How many lanes a target has now, and its limits besides that.
  fileprivate func limits(of row: TargetRow) -> String {
    lanes(of: row.name).words + (row.limits.isEmpty ? "" : ", \(row.limits)")
  }

  /// The result of trying a target.
  enum Trial: Hashable, Sendable {
    /// `before` is why it did not seem to take them when it was tried last.
    case underWay(before: String?)
    /// Why the target does not seem to take uploads; nil if it may take them.
    case over(obstacle: String?)
  }

  /// The state of a target, in a few words, from the fullest to the shortest: a current problem, the result of trying
  /// it, or its use.
  func status(of row: TargetRow) -> (forms: [String], role: Role) {
    if let trouble = refusals[row.name] {
      return ([trouble.words], trouble.holdsAll ? .bad : .warning)
    }
    // A wait would end by itself.
    if let variable = row.unsetVariable {
      return (["variable \(variable) is not set", "variable not set"], .bad)
    }
    if let outage = outage(at: row.url) {
      return (["away · \(outage.words(at: now))"], .warning)
    }
    let (wait, pace) = (wait(at: row.url), pace(of: row.name))
    if let until = [wait?.nextTry, pace].compactMap(\.self).max() {
      let next = Outage.words(until: until, at: now)
      let soon = HumanReadable.seconds((until - now).rounded(.up))
      // The wait is for the whole server, though another target's file may have met with it.
      if let wait, until == wait.nextTry, let asker = asker(of: wait, besides: row.name) {
        let host = Self.host(of: wait.server) ?? "the server"
        return (
          [
            "\(asker) was asked to wait · \(next)", "waits for \(host) · \(soon)",
            "waits for \(asker) · \(soon)", "waits · \(soon)",
          ], .warning
        )
      }
      return waiting(until, until == wait?.nextTry ? "asks to wait" : "too many requests")
    }
    let trial = trials[row.name]
    if case .underWay? = trial { return (["testing…"], .accent) }
    if case .over(let obstacle?) = trial {
      // What comes after the colon is a detail, which the message has.
      let parts = obstacle.split(scalar: ":", maxSplits: 1)
      return ([obstacle] + (parts.count > 1 ? [String(parts[0])] : []), .bad)
    }
    let isChosen = row.name == target
    var active = queue.active(on: row.name)
    // Items without a target go to the chosen one.
    if isChosen { active += queue.active(on: "") }
    let found = self.lanes(of: row.name)
    if active > 0, found.isFound, let fall = known.laneFalls[row.name] {
      let lanes = HumanReadable.count(found.count, "lane")
      return (
        [
          "\(lanes) since \(clock(fall.since)): \(fall.why)", "\(lanes): \(fall.why)",
        ], .warning
      )
    }
    if active > 0 { return (["\(HumanReadable.grouped(active)) being sent"], .accent) }
    // Its server may have been tried with another file since. This target's files wait on.
    if let until = askedBackOff(of: row.name) {
      return waiting(until, "asks to wait")
    }
    if trial != nil { return (["answers"], .good) }
    return ([isChosen ? "chosen" : ""], .dim)
  }

  /// The fullest words for the state of a target that fit, or else the shortest.
  fileprivate func status(of row: TargetRow, fitting width: Int) -> (words: String, role: Role) {
    let (forms, role) = status(of: row)
    return (forms.first { $0.unicodeScalars.count <= width } ?? forms.last ?? "", role)
  }

  /// The state of a target that waits, and why.
  private func waiting(_ end: Instant, _ why: String) -> (forms: [String], role: Role) {
    let next = Outage.words(until: end, at: now)
    let soon = HumanReadable.seconds((end - now).rounded(.up))
    return (["\(why) · \(next)", "\(why) · \(soon)", next], .warning)
  }

  /// The URLs that files of the queue, or those that are added now, go to without a target in the configuration.
  func targetsInUse(besides rows: [TargetRow]) -> [TargetRow] {
    let names = Set(queue.targetNames).union([target]).subtracting(rows.map(\.name))
    return names.filter { $0.contains(scalars: "://") }.sorted().map { name in
      var row = TargetRow(name: name, url: url(ofTarget: name))
      row.isConfigured = false
      return row
    }
  }

  /// The message in place of the targets; nil if there are targets.
  var targetWords: [String]? {
    guard options.configuration != nil else { return ["There is no configuration with targets."] }
    let key = keyLabel(.add, in: .targets)
    return targets.listing.words(
      asked: "Reading the configuration…", none: "There is no target yet; \(key) makes one.")
  }
}
