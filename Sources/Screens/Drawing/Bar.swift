import UploadModel

/// A progress bar in parts, one after the other: bytes that arrived, are on their way, failed.
struct Bar {
  /// What a part of a bar stands for. Each has a glyph of its own, for screens without colour.
  enum Kind {
    /// The server has taken it.
    case arrived
    /// It has been handed over, or is a part of a file that resumes, and the outcome is open.
    case moving
    /// It may have arrived.
    case unknown
    /// It did not arrive.
    case failed
    /// It was not sent because of what the server has.
    case skipped

    var look: (sign: Unicode.Scalar, role: Role) {
      switch self {
      case .arrived: ("═", .good)
      case .moving: ("━", .barFull)
      case .unknown: ("≈", .warning)
      case .failed: ("┅", .bad)
      case .skipped: ("═", .dim)
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

extension Totals {
  /// What became of the work of all files.
  var bar: Bar {
    let parts: [(Bar.Kind, Workload)] = [
      (.skipped, skippedLoad), (.arrived, arrivedLoad), (.moving, keptLoad + movingLoad),
      (.unknown, unknownLoad), (.failed, failedLoad),
    ]
    return Bar(parts: parts.map { ($0, $1.work) }, total: work.all)
  }
}

extension Canvas {
  /// Paints a progress bar, thin enough to stay apart from those above and below it. If its last part is moving, the
  /// bar can end in half a cell. The colour of moving parts changes towards the end of the bar.
  mutating func bar(_ bar: Bar, row: Int, columns: Range<Int>, on ground: Style.Ground = .plain) {
    let rest = Glyph(base: ascii ? "." : "─")
    fill(row: row, columns: columns, with: rest, style: Style(.barRest, on: ground))
    let start = columns.lowerBound
    let isFine = !ascii && bar.parts.last { $0.amount > 0 }?.kind == .moving
    let whole = bar.ends(cells: columns.count, steps: 1)
    let fine = isFine ? bar.ends(cells: columns.count, steps: 2) : []
    var from = 0
    for (index, part) in bar.parts.enumerated() where part.amount > 0 {
      var (to, endsInHalf) = (whole[index], false)
      if isFine, part.kind == .moving {
        to = max(from, fine[index] / 2)
        // An earlier part that was lengthened to be visible may end beyond this one, which then gets half a cell.
        endsInHalf = fine[index] != to * 2 && to < columns.count
      }
      let end = max(from, endsInHalf ? to + 1 : to)
      for cell in from..<end {
        var style = Style(part.kind.look.role, on: ground)
        if part.kind == .moving { style.shade = UInt8(cell * Int(Style.shades) / columns.count) }
        let isHalf = endsInHalf && cell == to
        let glyph = isHalf ? Glyph(base: "╸") : sign(part.kind.look.sign)
        put([glyph], row: row, column: start + cell, style: style)
      }
      from = end
    }
  }
}
