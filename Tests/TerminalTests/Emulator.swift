import CNcurses

/// What a terminal shows of the bytes that it gets: the cells that xterm would have, with their colours and attributes.
///
/// It obeys what terminfo knows of the terminals that are tried (ECMA-48, xterm's control sequences). What it does not know
/// is noted, and fails the test.
struct Emulator {
  /// A colour; nil is the terminal's own.
  enum Color: Hashable {
    case index(Int)
    case rgb(Int, Int, Int)
  }

  struct Look: Hashable {
    var attributes: Set<Int> = []
    var color: Color?
    var ground: Color?

    static let bold = 1
    static let dim = 2
    static let underline = 4
    static let reverse = 7
  }

  struct Cell: Equatable {
    /// Nothing in the second column of a wide character.
    var text = " "
    var look = Look()
    var address = ""
  }

  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var cells: [Cell]
  private(set) var row = 0
  private(set) var column = 0
  private(set) var showsCursor = true
  private(set) var title = ""
  /// What it does not know.
  private var unknown: [String] = []

  /// How many columns a character takes, in this terminal.
  private let width: (Unicode.Scalar) -> Int
  private var look = Look()
  private var address = ""
  /// Whether a character has been put in the last column, so that the next one comes to the next line.
  private var isAtEnd = false
  private var wraps = true
  private var saved = (row: 0, column: 0, look: Look())
  /// What has come of a sequence, and of a character.
  private var sequence = ""
  private var rest: [UInt8] = []
  private var last: Unicode.Scalar = " "

  init(columns: Int, rows: Int, width: @escaping (Unicode.Scalar) -> Int) {
    (self.columns, self.rows, self.width) = (columns, rows, width)
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  /// What has come that it does not know, since the last call.
  mutating func takeUnknown() -> [String] {
    defer { unknown = [] }
    return unknown
  }

  func line(_ row: Int) -> ArraySlice<Cell> { cells[row * columns..<(row + 1) * columns] }

  /// Gives it another size. What was on the screen is cut; nobody relies on it.
  mutating func resize(columns new: Int, rows newRows: Int) {
    var resized = Array(repeating: Cell(), count: new * newRows)
    for row in 0..<min(rows, newRows) {
      for column in 0..<min(columns, new) {
        resized[row * new + column] = cells[row * columns + column]
      }
    }
    (cells, columns, rows) = (resized, new, newRows)
    (row, column, isAtEnd) = (min(row, rows - 1), min(column, columns - 1), false)
  }

  mutating func take(_ bytes: some Sequence<UInt8>) {
    rest += bytes
    var decoder = UTF8()
    var input = rest.makeIterator()
    var used = 0
    decoding: while true {
      switch decoder.decode(&input) {
      case .scalarValue(let scalar):
        used += UTF8.width(scalar)
        take(scalar)
      case .emptyInput: break decoding
      // A character whose end has not come.
      case .error where rest.count - used < 4: break decoding
      case .error:
        unknown.append("no UTF-8")
        used += 1
      }
    }
    rest.removeFirst(used)
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    if !sequence.isEmpty { return takeNext(scalar) }
    switch scalar {
    case "\u{1B}": sequence = "\u{1B}"
    case "\r": move(row, 0)
    case "\n":
      if row == rows - 1 { scroll() } else { move(row + 1, column) }
    case "\u{8}": move(row, column - 1)
    case "\t": move(row, (column / 8 + 1) * 8)
    case "\u{7}", "\u{0}", "\u{E}", "\u{F}": break
    case _ where scalar.value < 32: unknown.append("control \(scalar.value)")
    default: put(scalar)
    }
  }

  // MARK: Characters

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = width(scalar)
    guard width > 0 else { return mark(scalar) }
    last = scalar
    if isAtEnd, wraps {
      (column, isAtEnd) = (0, false)
      if row == rows - 1 { scroll() } else { row += 1 }
    }
    guard column + width <= columns else { return }
    clear(row, column..<column + width)
    cells[row * columns + column] = Cell(text: String(scalar), look: look, address: address)
    if width == 2 {
      cells[row * columns + column + 1] = Cell(text: "", look: look, address: address)
    }
    isAtEnd = column + width == columns
    column = min(column + width, columns - 1)
  }

  /// Puts a mark on the character before.
  private mutating func mark(_ scalar: Unicode.Scalar) {
    var place = row * columns + (isAtEnd ? column : max(0, column - 1))
    if cells[place].text.isEmpty { place -= 1 }
    cells[place].text.unicodeScalars.append(scalar)
  }

  /// Clears cells. Half of a wide character cannot stay.
  private mutating func clear(_ row: Int, _ range: Range<Int>) {
    let start = row * columns
    for column in range { cells[start + column] = Cell(look: Look(ground: look.ground)) }
    if range.upperBound < columns, cells[start + range.upperBound].text.isEmpty {
      cells[start + range.upperBound].text = " "
    }
    guard range.lowerBound > 0 else { return }
    let before = start + range.lowerBound - 1
    let scalars = cells[before].text.unicodeScalars
    if let first = scalars.first, width(first) == 2 { cells[before].text = " " }
  }

  private mutating func scroll() {
    cells.removeFirst(columns)
    cells += Array(repeating: Cell(), count: columns)
  }

  private mutating func move(_ newRow: Int, _ newColumn: Int) {
    row = min(max(0, newRow), rows - 1)
    column = min(max(0, newColumn), columns - 1)
    isAtEnd = false
  }

  // MARK: Sequences

  private mutating func takeNext(_ scalar: Unicode.Scalar) {
    sequence.unicodeScalars.append(scalar)
    let second = sequence.unicodeScalars.dropFirst().first ?? " "
    let count = sequence.unicodeScalars.count
    switch second {
    case "[":
      guard count > 2, (0x40...0x7E).contains(scalar.value) else { return }
      control(
        String(String.UnicodeScalarView(sequence.unicodeScalars.dropFirst(2).dropLast())), scalar)
    case "]":
      guard scalar == "\u{7}" || sequence.hasSuffix("\u{1B}\\") else { return }
      command(String(sequence.dropFirst(2).dropLast(scalar == "\u{7}" ? 1 : 2)))
    // The sets of characters, of which the terminals here use one.
    case "(", ")": guard count > 2 else { return }
    case "7": saved = (row, column, look)
    case "8":
      move(saved.row, saved.column)
      look = saved.look
    case "=", ">", "<": break
    // One line up; on the first one, the screen would scroll.
    case "M" where row > 0: move(row - 1, column)
    case "\u{1B}":
      sequence = "\u{1B}"
      return
    default: unknown.append(sequence.debugDescription)
    }
    sequence = ""
  }

  private mutating func command(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
    switch parts.first {
    case "2": title = parts.dropFirst().joined(separator: ";")
    case "8": address = parts.count == 3 ? String(parts[2]) : ""
    // Questions and wishes.
    case "9", "11": break
    default: unknown.append("command \(text)")
    }
  }

  private mutating func control(_ text: String, _ final: Unicode.Scalar) {
    if let first = text.unicodeScalars.first, "?><".unicodeScalars.contains(first) {
      return mode(String(text.dropFirst()), first, final)
    }
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    let number = max(1, numbers.first ?? 1)
    switch final {
    case "A": move(row - number, column)
    case "B": move(row + number, column)
    case "C": move(row, column + number)
    case "D": move(row, column - number)
    case "G": move(row, number - 1)
    case "Z": move(row, (column - 1) / 8 * 8)
    case "d": move(number - 1, column)
    case "H", "f": move(number - 1, max(1, numbers.dropFirst().first ?? 1) - 1)
    case "X": clear(row, column..<min(columns, column + number))
    case "K": erase(in: numbers.first ?? 0)
    case "J": eraseLines(numbers.first ?? 0)
    case "b": for _ in 0..<number { put(last) }
    case "m": style(numbers)
    // The part of the screen that scrolls: all of it. Modes such as inserting, which are off. Titles, questions.
    case "r" where text == "1;\(rows)" || text.isEmpty: move(0, 0)
    case "l" where text == "4": break
    case "h" where text == "34", "l" where text == "34": showsCursor = final == "h"
    case "t", "c", "n": break
    default: unknown.append("control \(text) \(final)")
    }
  }

  private mutating func mode(_ text: String, _ sign: Unicode.Scalar, _ final: Unicode.Scalar) {
    guard sign == "?", final == "h" || final == "l" else {
      if sign == "?", !"cunr".unicodeScalars.contains(final) {
        unknown.append("mode \(text) \(final)")
      }
      return
    }
    for number in text.split(separator: ";") {
      switch number {
      case "7": wraps = final == "h"
      case "25": showsCursor = final == "h"
      case "1049": cells = Array(repeating: Cell(), count: columns * rows)
      default: break
      }
    }
  }

  private mutating func erase(in kind: Int) {
    switch kind {
    case 0: clear(row, column..<columns)
    case 1: clear(row, 0..<column + 1)
    default: clear(row, 0..<columns)
    }
  }

  private mutating func eraseLines(_ kind: Int) {
    if kind < 2 { erase(in: kind) }
    let lines = kind == 0 ? row + 1..<rows : kind == 1 ? 0..<row : 0..<rows
    for row in lines { clear(row, 0..<columns) }
  }

  private mutating func style(_ numbers: [Int]) {
    var numbers = (numbers.isEmpty ? [0] : numbers)[...]
    while let number = numbers.popFirst() {
      switch number {
      case 0, 10: look = number == 0 ? Look() : look
      case Look.bold, Look.dim, Look.underline, Look.reverse: look.attributes.insert(number)
      case 22: look.attributes.subtract([Look.bold, Look.dim])
      case 24, 27: look.attributes.remove(number - 20)
      case 30..<38: look.color = .index(number - 30)
      case 90..<98: look.color = .index(number - 82)
      case 38: look.color = Self.color(&numbers)
      case 39: look.color = nil
      case 40..<48: look.ground = .index(number - 40)
      case 100..<108: look.ground = .index(number - 92)
      case 48: look.ground = Self.color(&numbers)
      case 49: look.ground = nil
      default: unknown.append("style \(number)")
      }
    }
  }

  /// A colour by its number or by its parts (ISO 8613-6).
  private static func color(_ numbers: inout ArraySlice<Int>) -> Color? {
    let kind = numbers.popFirst()
    guard let first = numbers.popFirst() else { return nil }
    if kind == 5 { return .index(first) }
    guard let green = numbers.popFirst(), let blue = numbers.popFirst() else { return nil }
    return .rgb(first, green, blue)
  }
}
