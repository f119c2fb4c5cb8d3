import CNcurses
import Foundation

/// What ncurses knows of a terminal (terminfo): the terminal's own description, less what gets in the way of what is written
/// over ncurses' rows, and with 24-bit colours where the terminal has them.
///
/// The entries of terminfo that have such colours (`xterm-direct` and the like) write them with colons, which few
/// terminals understand, and lose the numbered colours.
nonisolated struct TerminalDescription {
  /// Colours from this number on are red, green and blue in its lower bits; the terminal's numbered ones are below.
  static let firstDirectColor: Int32 = 1 << 24

  private var flags: [Bool]
  private var numbers: [Int32]
  private var strings: [[UInt8]?]
  private var hasDirectColors = false

  /// The description of the current terminal.
  init() {
    func names(_ name: (Int32) -> UnsafePointer<CChar>?) -> [UnsafePointer<CChar>] {
      var names: [UnsafePointer<CChar>] = []
      while let next = name(Int32(names.count)) { names.append(next) }
      return names
    }
    flags = names(curses_flag_name).map { tigetflag($0) == 1 }
    numbers = names(curses_number_name).map { tigetnum($0) }
    strings = names(curses_string_name).map { name in
      guard let value = tigetstr(name), Int(bitPattern: value) != -1 else { return nil }
      return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
    if flag("xenl") {
      // Without automatic margins, ncurses writes the last cell of the screen like any other. After a character in the last
      // column, it counts on nothing either way.
      set("am", to: false)
      // It would tell the terminal so, and never turn the margins on again: lines of the shell would not wrap.
      for name in ["smam", "rmam"] { set(name, to: nil) }
    }
    // ncurses would move lines on the screen, and with them what lies over them, or erase it before the cells that change.
    for name in ["ri", "rin", "il", "il1", "el1"] { set(name, to: nil) }
    // Not all terminals that are described as having it repeat characters.
    set("rep", to: nil)
    // Nobody has asked for the palette to be set, nor for the user's to be reset.
    for name in ["oc", "initc", "initp"] { set(name, to: nil) }
    set("ccc", to: false)
    // Cells that are erased in a colour are not kept as cells everywhere.
    set("bce", to: false)
    // Otherwise, ncurses leaves out attributes in coloured cells.
    set("ncv", to: -1)
    // Only hardware terminals needed padding, which ncurses may wait for.
    for index in strings.indices where index != Self.index("flash", in: curses_string_name) {
      strings[index] = strings[index].map(Self.unpadded)
    }
  }

  /// Gives it 24-bit colours, besides the numbered ones.
  mutating func addDirectColors() {
    hasDirectColors = true
    set("colors", to: 2 * Self.firstDirectColor)
    set("pairs", to: 1 << 16)
    for (name, parameter) in [("setaf", 38), ("setab", 48)] {
      let numbered = String(decoding: string(name) ?? [], as: UTF8.self)
      set(
        name,
        to: Array(
          """
          %?%p1%{\(Self.firstDirectColor)}%<%t\(numbered)%e\u{1B}[\(parameter);2;\
          %p1%{65536}%/%{255}%&%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%dm%;
          """.utf8))
    }
  }

  /// The description in the format of compiled ones with numbers of 32 bits (term(5)), for a terminal of this type.
  func compiled(for type: String) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ values: [Int]) {
      for value in values { bytes += [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
    }
    func align() { if !bytes.count.isMultiple(of: 2) { bytes.append(0) } }
    let name = Array("\(type)|as hoist draws on it".utf8) + [0]
    var (offsets, table): ([Int], [UInt8]) = ([], [])
    for string in strings {
      offsets.append(string == nil ? -1 : table.count)
      if let string { table += string + [0] }
    }
    add([0o1036, name.count, flags.count, numbers.count, offsets.count, table.count])
    bytes += name + flags.map { $0 ? 1 : 0 }
    align()
    for number in numbers { add([Int(number) & 0xFFFF, Int(number) >> 16]) }
    add(offsets)
    bytes += table
    guard hasDirectColors else { return bytes }
    // The flag by which ncurses keeps no table of all colours is not one of the usual names.
    align()
    let flagName = Array("RGB".utf8) + [0]
    add([1, 0, 0, 1, flagName.count])
    bytes += [1, 0]
    add([0])
    return bytes + flagName
  }

  private static func index(_ name: String, in names: (Int32) -> UnsafePointer<CChar>?) -> Int? {
    var index: Int32 = 0
    while let next = names(index) {
      if strcmp(next, name) == 0 { return Int(index) }
      index += 1
    }
    return nil
  }

  private func flag(_ name: String) -> Bool {
    Self.index(name, in: curses_flag_name).map { flags[$0] } ?? false
  }

  private func string(_ name: String) -> [UInt8]? {
    Self.index(name, in: curses_string_name).flatMap { strings[$0] }
  }

  private mutating func set(_ name: String, to value: Bool) {
    if let index = Self.index(name, in: curses_flag_name) { flags[index] = value }
  }

  private mutating func set(_ name: String, to value: Int32) {
    if let index = Self.index(name, in: curses_number_name) { numbers[index] = value }
  }

  private mutating func set(_ name: String, to value: [UInt8]?) {
    if let index = Self.index(name, in: curses_string_name) { strings[index] = value }
  }

  /// A string without padding such as `$<5/>`.
  private static func unpadded(_ string: [UInt8]) -> [UInt8] {
    var (kept, rest): ([UInt8], ArraySlice<UInt8>) = ([], string[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "<"),
        let end = rest.firstIndex(of: UInt8(ascii: ">"))
      {
        rest = rest[(end + 1)...]
      } else {
        kept.append(byte)
      }
    }
    return kept
  }
}
