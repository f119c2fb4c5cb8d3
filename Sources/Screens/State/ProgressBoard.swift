import Scheduling
import UploadModel

/// The bars that `push` shows on a terminal: one line for each file under way, and one for all.
/// Like `render`, it is pure: progress goes in, a frame comes out.
package struct ProgressBoard: Sendable {
  private let ascii: Bool

  package init(ascii: Bool) { self.ascii = ascii }

  /// The lines for a terminal of this size; at most half its height.
  package func frame(of progress: SendingProgress, size: Size, at now: Instant) -> Frame {
    // Items that the server is processing come last.
    let items = progress.active.sorted {
      $0.state.isProcessed == $1.state.isProcessed ? $0.id < $1.id : $1.state.isProcessed
    }
    let room = max(1, size.height / 2 - 1)
    let shown = items.count <= room ? items[...] : items.prefix(max(0, room - 1))
    let hidden = items.count - shown.count
    let height = shown.count + (hidden > 0 ? 1 : 0) + 1
    var canvas = Canvas(size: Size(width: size.width, height: height), ascii: ascii)
    for (row, item) in shown.enumerated() {
      paint(item, progress.speeds, row: row, on: &canvas, at: now)
    }
    if hidden > 0 {
      canvas.put(
        "… and \(HumanReadable.grouped(hidden)) more", row: height - 2, column: 0,
        style: Style(.dim))
    }
    paintTotal(of: progress, row: height - 1, on: &canvas, at: now)
    return canvas.frame
  }

  /// Wraps a line of text, to be shown above the bars, at word breaks to at most this width. All lines but the first
  /// are indented by two columns, past the sign.
  package func wrapped(_ line: String, to width: Int) -> [String] {
    var glyphs = Glyphs.of(line, ascii: ascii)
    var start = ""
    if let sign = line.unicodeScalars.first, glyphs.count > 1, glyphs[1].base == " " {
      start = Glyph(sign: sign, ascii: ascii).text + " "
      glyphs.removeFirst(2)
    }
    let lines = TextFitting.wrapped(glyphs, to: max(2, width - 2))
    return lines.enumerated().map { ($0 == 0 ? start : "  ") + $1.map(\.text).joined() }
  }

  private func paint(
    _ item: UploadItem, _ speeds: Speeds, row: Int, on canvas: inout Canvas, at now: Instant
  ) {
    let done = item.state.bytesAcknowledged(of: item.sentSize) ?? 0
    let words: String =
      switch item.state {
      case .awaitingReply(_, let since): "awaiting reply \(HumanReadable.clock(now - since))"
      case .processing(let processing): processing.words
      case .preparing: "preparing"
      default:
        [
          speeds.speed(of: item.id, at: now).map(HumanReadable.speed),
          speeds.eta(of: item.id, remaining: item.sentSize &- done, at: now).map(
            HumanReadable.timeLeft),
        ].compactMap { $0 }.joined(separator: " ")
      }
    line(
      name: item.fileName, bar: Bar(parts: [(.moving, done)], total: item.sentSize),
      size: HumanReadable.bytes(item.sentSize), words: words, row: row, on: &canvas)
  }

  private func paintTotal(
    of progress: SendingProgress, row: Int, on canvas: inout Canvas, at now: Instant
  ) {
    let (totals, speeds, isCounted) = (progress.totals, progress.speeds, progress.isComplete)
    let plus = isCounted ? "" : "+"
    var words: [String] = []
    if isCounted, totals.awaitsReplies {
      // Nothing moves, so a falling speed or a time left of zero would be misleading.
      words = ["awaiting replies"]
    } else {
      if let speed = speeds.totalSpeed(at: now) { words.append(HumanReadable.speed(speed)) }
      if isCounted, let left = speeds.totalETA(of: totals, at: now) {
        words.append(HumanReadable.timeLeft(left))
      }
    }
    if totals.unknown > 0 {
      words.insert("\(HumanReadable.grouped(totals.unknown)) unknown", at: 0)
    }
    if totals.failed > 0 { words.insert("\(HumanReadable.grouped(totals.failed)) failed", at: 0) }
    line(
      name:
        "\(HumanReadable.grouped(totals.over)) of \(HumanReadable.grouped(totals.all))\(plus) files",
      bar: totals.bar,
      size: HumanReadable.bytes(totals.bytes) + plus, words: words.joined(separator: " "), row: row,
      on: &canvas, isTotal: true)
  }

  /// Paints name, bar, percent, size and words. On a narrow screen, some are left out.
  private func line(
    name: String, bar: Bar, size: String, words: String, row: Int, on canvas: inout Canvas,
    isTotal: Bool = false
  ) {
    let width = canvas.size.width
    var rest = ColumnsFromRight(end: width)
    let wordsAt = rest.take(width >= 60 ? 25 : 15, if: width >= 40)
    let sizeAt = rest.take(9, if: width >= 70)
    let percentAt = rest.take(4, if: width >= 12)
    // Names and bars share the columns that are left.
    let barAt = rest.take(width >= 50 ? max(12, (rest.end - 12) / 2) : 6, if: width >= 32)
    canvas.putMiddle(
      name, row: row, columns: 0..<max(0, rest.end), style: Style(isTotal ? .heading : .plain))
    if !barAt.isEmpty { canvas.bar(bar, row: row, columns: barAt) }
    // Acknowledged bytes do not mean that a file is done; only a reply shows that.
    let done = bar.parts.reduce(0) { $0 &+ $1.amount }
    let percent = bar.total > 0 ? min(99, HumanReadable.percent(done, of: bar.total)) : 0
    canvas.putRight("\(percent)%", row: row, columns: percentAt, style: Style(.plain))
    canvas.putRight(size, row: row, columns: sizeAt, style: Style(.dim))
    canvas.put(words, row: row, columns: wordsAt, style: Style(.accent))
  }
}
