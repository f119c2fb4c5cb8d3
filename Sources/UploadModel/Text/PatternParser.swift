// All text in here is Unicode scalars.
/// Reads a regular expression into its tree.
struct PatternParser {
  private(set) var groups = 0
  private var rest: ArraySlice<Unicode.Scalar>
  private var ignoresCase = false
  private var depth = 0

  /// How deep groups, and repetitions of repetitions, may be nested.
  private static let mostDepth = 50

  static let digit = PatternSet(ranges: [0x30...0x39])
  static let word = PatternSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = PatternSet(ranges: [0x09...0x0D, 0x20...0x20, 0xA0...0xA0])

  init(_ source: String) { rest = Array(source.unicodeScalars)[...] }

  mutating func whole() throws(InvalidInput) -> PatternNode {
    if consume("(?i)") { ignoresCase = true }
    let node = try choice()
    guard rest.isEmpty else { throw syntaxError("has a \")\" without \"(\" before it") }
    return node
  }

  private func syntaxError(_ text: String) -> InvalidInput {
    InvalidInput("the regular expression \(text)")
  }

  private mutating func consume(_ text: String) -> Bool {
    guard rest.starts(with: text.unicodeScalars) else { return false }
    rest = rest.dropFirst(text.unicodeScalars.count)
    return true
  }

  private mutating func choice() throws(InvalidInput) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.mostDepth else {
      throw syntaxError("has groups nested too deeply")
    }
    var choices = [try sequence()]
    while consume("|") { choices.append(try sequence()) }
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence() throws(InvalidInput) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = rest.first, scalar != "|", scalar != ")" {
      nodes.append(try repetition(of: try atom()))
    }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func atom() throws(InvalidInput) -> PatternNode {
    guard let scalar = rest.popFirst() else { return .empty }
    switch scalar {
    case "(": return try group()
    case "[": return .set(try bracket())
    case ".": return .set(PatternSet(ranges: [0x0A...0x0A, 0x0D...0x0D], isNegated: true))
    case "^": return .place(.start)
    case "$": return .place(.end)
    case "*", "+", "?": throw syntaxError("repeats nothing with \"\(scalar)\"")
    case "\\": return try escape()
    default: return .set(single(scalar))
    }
  }

  private func single(_ scalar: Unicode.Scalar) -> PatternSet {
    PatternSet(ranges: [scalar.value...scalar.value], ignoresCase: ignoresCase)
  }

  private mutating func group() throws(InvalidInput) -> PatternNode {
    var number: Int?
    if consume("?:") {
      number = nil
    } else if consume("?=") || consume("?!") || consume("?<=") || consume("?<!") {
      throw syntaxError("looks around with \"(?\", which takes no bounded time; write it without")
    } else if consume("?<") || consume("?P<") {
      groups += 1
      number = groups
      guard let end = rest.firstIndex(of: ">") else {
        throw syntaxError("has a \"(?<\" without \">\"")
      }
      rest = rest[(end + 1)...]
    } else if rest.first == "?" {
      throw syntaxError("has a \"(?\" that hoist does not know")
    } else {
      groups += 1
      number = groups
    }
    let node = try choice()
    guard consume(")") else { throw syntaxError("has a \"(\" without \")\" after it") }
    return number.map { .group($0, node) } ?? node
  }

  private mutating func escape() throws(InvalidInput) -> PatternNode {
    guard let scalar = rest.popFirst() else { throw syntaxError("ends with \"\\\"") }
    switch scalar {
    case "b": return .place(.wordEdge)
    case "B": return .place(.noWordEdge)
    case "1"..."9":
      throw syntaxError("refers back with \"\\\(scalar)\", which takes no bounded time")
    default:
      if let set = Self.escaped(scalar) { return .set(set) }
      return .set(try literal(scalar))
    }
  }

  /// The set that a letter after a backslash stands for, if any.
  private static func escaped(_ scalar: Unicode.Scalar) -> PatternSet? {
    switch scalar {
    case "d": digit
    case "w": word
    case "s": space
    case "D": PatternSet(ranges: digit.ranges, isNegated: true)
    case "W": PatternSet(ranges: word.ranges, isNegated: true)
    case "S": PatternSet(ranges: space.ranges, isNegated: true)
    default: nil
    }
  }

  private func literal(_ scalar: Unicode.Scalar) throws(InvalidInput) -> PatternSet {
    switch scalar {
    case "n": return single("\n")
    case "r": return single("\r")
    case "t": return single("\t")
    case _ where scalar.isASCII && scalar.properties.isAlphabetic:
      throw syntaxError("has a \"\\\(scalar)\" that hoist does not know")
    default: return single(scalar)
    }
  }

  /// `[a-z_]`, after its opening bracket.
  private mutating func bracket() throws(InvalidInput) -> PatternSet {
    var set = PatternSet(ignoresCase: ignoresCase)
    set.isNegated = consume("^")
    var isFirst = true
    while let scalar = rest.popFirst() {
      if scalar == "]", !isFirst { return set }
      isFirst = false
      var low = scalar
      if scalar == "\\" {
        guard let next = rest.popFirst() else { break }
        if let known = Self.escaped(next) {
          guard !known.isNegated else {
            throw syntaxError("has a \"\\\(next)\" between brackets, where hoist does not know it")
          }
          set.ranges += known.ranges
          continue
        }
        low = Unicode.Scalar(try literal(next).ranges[0].lowerBound) ?? next
      }
      guard rest.first == "-", let end = rest.dropFirst().first, end != "]" else {
        set.ranges.append(low.value...low.value)
        continue
      }
      rest = rest.dropFirst(2)
      var high = end
      if end == "\\" {
        guard let next = rest.popFirst() else { break }
        high = Unicode.Scalar(try literal(next).ranges[0].lowerBound) ?? next
      }
      guard low.value <= high.value else { throw syntaxError("has a range that runs backwards") }
      set.ranges.append(low.value...high.value)
    }
    throw syntaxError("has a \"[\" without \"]\" after it")
  }

  private mutating func repetition(of node: PatternNode) throws(InvalidInput) -> PatternNode {
    var (node, count) = (node, 0)
    while let bounds = try bounds() {
      count += 1
      guard count <= Self.mostDepth else { throw syntaxError("repeats a repetition too often") }
      node = .repeated(node, least: bounds.least, most: bounds.most, isLazy: consume("?"))
    }
    return node
  }

  private mutating func bounds() throws(InvalidInput) -> (least: Int, most: Int?)? {
    if consume("*") { return (0, nil) }
    if consume("+") { return (1, nil) }
    if consume("?") { return (0, 1) }
    // A brace that does not begin a count stands for itself.
    guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
    let text = rest[(rest.startIndex + 1)..<end].map(String.init).joined()
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let least = Int(parts[0]), least >= 0 else { return nil }
    var most: Int? = least
    if parts.count == 2 {
      if parts[1].isEmpty {
        most = nil
      } else if let number = Int(parts[1]), number >= least {
        most = number
      } else {
        throw syntaxError("has a count {\(text)} that runs backwards")
      }
    }
    guard max(least, most ?? 0) <= 1000 else { throw syntaxError("is too long") }
    rest = rest[(end + 1)...]
    return (least, most)
  }
}

/// An expression as a tree.
indirect enum PatternNode: Sendable {
  enum Place: Sendable { case start, end, wordEdge, noWordEdge }

  case empty
  case set(PatternSet)
  case place(Place)
  case sequence([PatternNode])
  case choice([PatternNode])
  case group(Int, PatternNode)
  case repeated(PatternNode, least: Int, most: Int?, isLazy: Bool)
}

/// A step of an expression that has been compiled.
enum PatternStep: Sendable {
  case scalar(PatternSet)
  case split(Int, Int)
  case jump(Int)
  case save(Int)
  case check(PatternNode.Place)
  case match
}
