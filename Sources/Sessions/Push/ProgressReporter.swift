import Foundation
import ProcessContext
import Scheduling
import Screens
import UploadModel

/// Shows progress bars at the foot of a terminal, and above them a line for each file that has ended.
///
/// It draws ten times a second, however many files end meanwhile, and removes its bars before anything else is written.
/// While the job is in the background, it writes lines only, since its bars would move over what the shell writes.
struct ProgressReporter: PushReporter {
  let tickInterval: Double? = 0.1

  private let output: Output
  private let job: TerminalJob
  private let board: ProgressBoard
  private let hasColours: Bool
  private let retry: RetryHint?
  private let pending = Pending()
  private var lines: LineReporter
  private var lastTick: Instant?
  /// After how many seconds between two ticks this process may have been stopped.
  private static let noticeableGap = 0.3
  /// How many columns each line of the bars took.
  private var drawn: [Int] = []

  /// Lines to write above the bars.
  private final class Pending {
    enum Line {
      case words(String)
      /// Users copy commands, so only the terminal itself may wrap them.
      case command(String)
      case result(String)
    }
    var lines: [Line] = []
  }

  init(
    to output: Output, ascii: Bool, hasColours: Bool, showsNotes: Bool = false, retry: RetryHint?
  ) {
    self.output = output
    job = TerminalJob(output.errors)
    board = ProgressBoard(ascii: ascii)
    self.hasColours = hasColours
    self.retry = retry
    let pending = pending
    lines = LineReporter(
      interval: .infinity, showsNotes: showsNotes,
      write: { pending.lines.append(.words($0)) },
      writeResult: { pending.lines.append(.result($0)) })
  }

  mutating func queued(_ item: UploadItem) { lines.queued(item) }

  mutating func omitted(_ item: UploadItem, _ why: Omission) { lines.omitted(item, why) }

  mutating func allQueued(repeated: Int, perhapsRepeated: Int) {
    lines.allQueued(repeated: repeated, perhapsRepeated: perhapsRepeated)
  }

  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {
    lines.resumed(item, at: point)
  }

  mutating func startsAgain(_ item: UploadItem) { lines.startsAgain(item) }

  mutating func run(of target: String, _ news: RunNews) { lines.run(of: target, news) }

  mutating func disposed(_ item: UploadItem, _ outcome: FileDisposal.Outcome) {
    lines.disposed(item, outcome)
  }

  mutating func changed(_ item: UploadItem, in progress: SendingProgress, at now: Instant) {
    lines.changed(item, in: progress, at: now)
  }

  mutating func tick(_ progress: SendingProgress, at now: Instant) {
    // If the process was stopped, the signal that continued it may be noticed a moment later than the clock.
    if let lastTick, now - lastTick > Self.noticeableGap { usleep(20_000) }
    lastTick = now
    flush(above: board.frame(of: progress, size: size, at: now))
  }

  mutating func summary(_ summary: PushSummary) {
    lines.summary(summary)
    if let hint = retry?.text(for: summary) { pending.lines.append(.command(hint)) }
    flush(above: nil)
  }

  /// Writes what is pending, then the bars.
  private mutating func flush(above frame: Frame?) {
    let width = size.width
    let mayDraw = job.isInForeground
    // The shell may have written something below the bars, which must stay.
    if job.takeContinuation() || !mayDraw { drawn = [] }
    lines.interval = mayDraw ? .infinity : LineReporter.usualInterval
    let bars = (mayDraw ? frame : nil).map { frame in
      (0..<frame.size.height).map { text(frame.line($0)) }
    }
    // In one write, so that no terminal shows half an update.
    output.together {
      output.errorBytes(erasing())
      for line in pending.lines {
        switch line {
        case .words(let text):
          coloured(text, in: board.wrapped(text, to: width)).forEach(output.error)
        case .command(let text): coloured(text, in: [text]).forEach(output.error)
        case .result(let text): output.line(text)
        }
      }
      if let bars { output.errorBytes(bars.map { $0.text + "\n" }.joined()) }
    }
    pending.lines = []
    drawn = bars?.map(\.columns) ?? []
  }

  /// A line about a file, wrapped to the terminal's width, with its sign in the colour that it has on the screen.
  private func coloured(_ line: String, in lines: [String]) -> [String] {
    guard hasColours else { return lines }
    let role: Role
    switch String(line.unicodeScalars.prefix { $0 != " " }) {
    case "✓": role = .good
    case "✗": role = .bad
    case "?", "↻": role = .warning
    case "·", "": role = .dim
    default: role = .heading
    }
    return lines.enumerated().map { index, text in
      // Explanations are dim throughout; in other lines, only the sign has a colour.
      let isWhole = role == .dim || role == .heading
      if text.isEmpty || index > 0 && !isWhole { return text }
      let end = isWhole ? text.endIndex : text.unicodeScalars.firstIndex(of: " ") ?? text.endIndex
      return "\u{1B}[0;\(Self.colour(role))m\(text[..<end])\u{1B}[m\(text[end...])"
    }
  }

  /// Moves back to the first line of the bars, and clears everything from there on (ECMA-48: CUU, ED). A line that the
  /// terminal has wrapped since, because it became narrower, counts as several.
  private func erasing() -> String {
    guard !drawn.isEmpty else { return "" }
    let width = max(1, size.width + 1)
    let rows = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
    return "\u{1B}[\(rows)A\r\u{1B}[J"
  }

  /// The terminal's size, one column narrower, since a full line would wrap.
  private var size: Size {
    var size = winsize()
    guard ioctl(output.errors, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1, size.ws_row > 0
    else { return Size(width: 79, height: 24) }
    return Size(width: Int(size.ws_col) - 1, height: Int(size.ws_row))
  }

  private func text(_ cells: ArraySlice<Cell>) -> (text: String, columns: Int) {
    let end = cells.lastIndex { $0.glyph.text != " " }.map { $0 + 1 } ?? cells.startIndex
    var (text, role) = ("", Role.plain)
    for cell in cells[..<end] {
      if hasColours, cell.style.role != role {
        role = cell.style.role
        text += "\u{1B}[0;\(Self.colour(role))m"
      }
      // The second cell of a wide character contains no character.
      if cell.glyph.width > 0 { text += cell.glyph.text }
    }
    if hasColours, role != .plain { text += "\u{1B}[m" }
    return (text, end - cells.startIndex)
  }

  /// The number of a role's colour or attribute (ECMA-48, SGR).
  private static func colour(_ role: Role) -> String {
    switch role {
    case .dim, .barRest, .rule: "2"
    case .heading: "1"
    case .accent: "36"
    case .good: "32"
    case .bad: "31"
    case .warning: "33"
    case .barFull, .barEnd: "34"
    case .plain, .field, .button, .match, .media, .archive, .selection, .marked: "0"
    }
  }
}
