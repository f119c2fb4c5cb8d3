import UploadModel

/// A progress bar in parts, one after the other: what arrived, what is on its way, what failed.
struct Bar {
  /// What a part of a bar stands for. Each has a glyph of its own, for screens without colour.
  enum Kind: CaseIterable {
    /// The server has taken it.
    case arrived
    /// It has been handed over, and its outcome is open.
    case moving
    /// It may have arrived.
    case unknown
    /// It did not arrive.
    case failed
    /// The attempt failed, and there will be another.
    case lost

    var look: (sign: Unicode.Scalar, role: Role) {
      switch self {
      case .arrived: ("▓", .good)
      case .moving: ("█", .barFull)
      case .unknown: ("▒", .warning)
      case .failed: ("░", .bad)
      case .lost: ("░", .warning)
      }
    }
  }

  /// The parts, from the left, in any unit.
  var parts: [(kind: Kind, amount: Int64)]
  /// How much the whole bar stands for, in the same unit.
  var total: Int64

  /// Where each part ends, counted in steps, with `steps` steps to a cell. A nonempty part shows at least a sliver,
  /// and the bar is full only if nothing is left.
  func ends(cells: Int, steps: Int) -> [Int] {
    let shown = parts.map { max(0, $0.amount) }
    let room = cells * steps
    var (sum, last) = (0.0, 0)
    return shown.map { amount in
      sum += Double(amount)
      let share = total > 0 ? min(1, sum / Double(total)) : 0
      let end = max(Int(share * Double(room)), amount > 0 ? last + 1 : last)
      last = min(room, end)
      return last
    }
  }
}

extension Bar {
  /// How far one file is, or came.
  ///
  /// - Parameter reached: how many bytes the last attempt had sent when it ended.
  init(of item: UploadItem, reached: Int64) {
    let sent = item.state.bytesHandedOver(of: item.sentSize)
    switch item.state {
    case .failed(let failure) where failure.isOutcomeUnknown:
      self.init(parts: [(.unknown, 1)], total: 1)
    case .failed: self.init(parts: [(.failed, reached)], total: item.sentSize)
    case .retrying: self.init(parts: [(.lost, reached)], total: item.sentSize)
    // An empty file that has been sent is as complete as any other.
    case .sending where item.sentSize == 0, .awaitingReply where item.sentSize == 0:
      self.init(parts: [(.moving, 1)], total: 1)
    case .waiting, .preparing, .sending, .awaitingReply, .paused, .done:
      self.init(parts: [(.moving, sent ?? 0)], total: item.sentSize)
    }
  }
}

extension Totals {
  /// What has become of all bytes, or of all files if they are empty.
  var bar: Bar {
    let parts: [(Bar.Kind, Int64, Int)] = [
      (.arrived, arrivedBytes, done), (.moving, movingBytes, awaiting),
      (.unknown, unknownBytes, unknown), (.failed, failedBytes, failed),
    ]
    return bytes > 0
      ? Bar(parts: parts.map { ($0.0, $0.1) }, total: bytes)
      : Bar(parts: parts.map { ($0.0, Int64($0.2)) }, total: Int64(all))
  }
}

extension Canvas {
  /// Paints a progress bar. If its last part is moving, it ends in eighths of a cell.
  mutating func bar(_ bar: Bar, row: Int, columns: Range<Int>) {
    fill(
      row: row, columns: columns, with: Glyph(base: ascii ? "." : "·"), style: Style(.barRest))
    let start = columns.lowerBound
    let isFine = !ascii && bar.parts.last { $0.amount > 0 }?.kind == .moving
    let whole = bar.ends(cells: columns.count, steps: 1)
    let fine = isFine ? bar.ends(cells: columns.count, steps: 8) : []
    var from = 0
    for (index, part) in bar.parts.enumerated() {
      let style = Style(part.kind.look.role)
      var to = whole[index]
      if isFine, part.kind == .moving {
        to = max(from, fine[index] / 8)
        // If an earlier part was lengthened to be visible, `rest` may be negative: this part is then drawn as a sliver.
        let rest = fine[index] - to * 8
        if rest != 0, to < columns.count {
          let eighth = Self.eighths[max(1, rest) - 1]
          put([Glyph(base: eighth)], row: row, column: start + to, style: style)
        }
      }
      fill(
        row: row, columns: start + from..<start + max(from, to),
        with: sign(part.kind.look.sign), style: style)
      from = max(from, to)
    }
  }

  private static let eighths: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
