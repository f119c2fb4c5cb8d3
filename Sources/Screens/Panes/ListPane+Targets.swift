extension ListPane<TargetRow> {
  /// The pane of the configuration's targets and their states.
  init(targets state: AppState, layout: Layout, width: Int) {
    var rest = ColumnsFromRight(end: width - 1)
    let status = rest.take(Self.statusWidth(in: width), gap: 2)
    let usual = rest.take(7, gap: 2, if: width >= 60)
    let hasFiles = state.queue.count > 0
    let files = rest.take(width >= 140 ? 24 : 14, gap: 2, if: width >= 100 && hasFiles)
    let limits = rest.take(28, gap: 2, if: width >= 110)
    let names = state.targets.rows.all.map { Glyphs.width(Glyphs.of($0.name, ascii: false)) }
    let name = 4..<min(rest.end, 4 + max(8, names.max() ?? 0))
    let start = min(rest.end, name.upperBound + 2)
    let end = width >= 60 ? rest.end : start
    self.init(
      layout: layout, list: state.shown, row: state.targets.row,
      isMarked: { state.targets.list.marks.contains($0.id) }, message: state.targetWords,
      columns: [
        Column(place: 2..<3, role: { _ in .accent }) {
          $0.name == state.target ? Glyph(sign: "✓", ascii: state.isASCII).text : ""
        },
        Column(heading: "NAME", place: name, matcher: state.litMatcher) { $0.name },
        Column(heading: "URL", place: start..<end, role: { _ in .dim }) { $0.url },
        Column(heading: "", place: usual, role: { _ in .accent }) { $0.isUsual ? "default" : "" },
        Column(heading: "LIMITS", place: limits, role: { _ in .dim }) {
          let limit = $0.limits.isEmpty ? "" : ", \($0.limits)"
          return state.lanes(of: $0.name).words + limit
        },
        Column(
          heading: "FILES", place: files,
          role: { state.counts(of: $0.name).hasProblems ? .warning : .dim },
          text: { state.counts(of: $0.name).words(fitting: files.count) }),
        Column(heading: "STATE", place: status, role: { state.status(of: $0).role }) {
          // In a narrow window, the files are counted here, if nothing is wrong and nothing was asked.
          let (words, role) = state.status(of: $0)
          let isTried = state.trials[$0.name] != nil
          let count = files.isEmpty ? state.counts(of: $0.name).words(fitting: status.count) : ""
          return count.isEmpty || isTried || role == .bad || role == .warning ? words : count
        },
      ])
  }

  /// How wide the column with the states is in a window of this width.
  private static func statusWidth(in width: Int) -> Int {
    switch width {
    case 140...: 46
    case 100...: 30
    case 60...: 22
    default: 16
    }
  }
}

extension AppState {
  /// The result of trying a target.
  enum Trial: Hashable, Sendable {
    case underWay
    /// Why the target does not seem to take uploads; nil if it may take them.
    case over(obstacle: String?)
  }

  /// The state of a target, in a few words: a current problem, the result of trying it, or its use.
  func status(of row: TargetRow) -> (words: String, role: Role) {
    if let trouble = refusals[row.name] {
      return (trouble.words, trouble.holdsAll ? .bad : .warning)
    }
    if let outage = outage(at: row.url) {
      return ("away · \(outage.words(at: now))", .warning)
    }
    if let wait = wait(at: row.url) { return ("asks to wait · \(wait.words(at: now))", .warning) }
    let trial = trials[row.name]
    if trial == .underWay { return ("testing…", .accent) }
    if case .over(let obstacle?) = trial { return (obstacle, .bad) }
    let isChosen = row.name == target
    var active = queue.active(on: row.name)
    // Items without a target go to the chosen one.
    if isChosen { active += queue.active(on: "") }
    if active > 0 { return ("\(active) being sent", .accent) }
    if trial != nil { return ("answers", .good) }
    return (isChosen ? "chosen" : "", .dim)
  }

  /// The message in place of the targets; nil if there are targets.
  var targetWords: [String]? {
    guard options.configuration != nil else { return ["There is no configuration with targets."] }
    let key = keyLabel(.add, in: .targets)
    return targets.listing.words(
      asked: "Reading the configuration…", none: "There is no target yet; \(key) makes one.")
  }
}
