/// A regular expression whose search time is proportional to the text, whatever either contains:
/// it follows all ways through the expression at once (Thompson's construction, with captures after
/// Pike) and never backtracks. So it is safe to run on a server's answer.
///
/// It supports `.`, `[a-z]`, `[^…]`, `\d \w \s \b` and their opposites, `^ $`, `( )`, `(?: )`, `|`,
/// `* + ? {n} {n,} {n,m}` and their lazy forms, and `(?i)` at its beginning. `^` and `$` are the ends
/// of the text, `$` also before a last line break. Back references and lookaround are not possible in this way.
package struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  package let source: String
  /// How many groups it captures, without the whole match.
  package let groups: Int
  private let program: [PatternStep]

  /// The most steps that an expression may have; `{n,m}` counts as often as it repeats.
  static let mostSteps = 1000

  /// Reads an expression.
  ///
  /// - Throws: `InvalidInput` if it is not a valid expression, or would take unbounded time.
  package init(_ source: String) throws(InvalidInput) {
    var parser = PatternParser(source)
    let node = try parser.whole()
    var compiler = PatternCompiler()
    try compiler.add(.group(0, node))
    compiler.steps.append(.match)
    self.source = source
    groups = parser.groups
    program = compiler.steps
  }

  /// The leftmost match, and what each of its groups captured; nil if there is no match.
  func firstMatch(in text: String) -> [String?]? {
    let text = Array(text.unicodeScalars)
    var search = PatternSearch(program: program, slots: 2 * (groups + 1), text: text)
    guard let slots = search.run() else { return nil }
    return stride(from: 0, to: slots.count, by: 2).map { slot in
      guard slots[slot] >= 0, slots[slot + 1] >= slots[slot] else { return nil }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: text[slots[slot]..<slots[slot + 1]])
      return String(view)
    }
  }

  /// Two expressions that are written alike.
  package static func == (a: Pattern, b: Pattern) -> Bool { a.source == b.source }

  /// Feeds in what `==` compares.
  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// Turns the tree into steps.
private struct PatternCompiler {
  var steps: [PatternStep] = []

  mutating func add(_ node: PatternNode) throws(InvalidInput) {
    guard steps.count < Pattern.mostSteps else {
      throw InvalidInput("the regular expression is too long")
    }
    switch node {
    case .empty: break
    case .set(let set): steps.append(.scalar(set))
    case .place(let place): steps.append(.check(place))
    case .sequence(let nodes):
      for node in nodes { try add(node) }
    case .choice(let nodes):
      var ends: [Int] = []
      for (index, node) in nodes.enumerated() {
        guard index < nodes.count - 1 else {
          try add(node)
          break
        }
        let split = steps.count
        steps.append(.jump(0))
        try add(node)
        ends.append(steps.count)
        steps.append(.jump(0))
        steps[split] = .split(split + 1, steps.count)
      }
      for end in ends { steps[end] = .jump(steps.count) }
    case .group(let number, let node):
      steps.append(.save(2 * number))
      try add(node)
      steps.append(.save(2 * number + 1))
    case .repeated(let node, let least, let most, let isLazy):
      for _ in 0..<least {
        let before = steps.count
        try add(node)
        // Repeating an empty expression adds no steps, so `mostSteps` would never end the loop.
        if steps.count == before { break }
      }
      if let most {
        var splits: [Int] = []
        for _ in least..<most {
          splits.append(steps.count)
          steps.append(.jump(0))
          try add(node)
        }
        for split in splits { steps[split] = Self.split(split + 1, steps.count, isLazy) }
      } else {
        let split = steps.count
        steps.append(.jump(0))
        try add(node)
        steps.append(.jump(split))
        steps[split] = Self.split(split + 1, steps.count, isLazy)
      }
    }
  }

  private static func split(_ into: Int, _ past: Int, _ isLazy: Bool) -> PatternStep {
    isLazy ? .split(past, into) : .split(into, past)
  }
}

/// One search: all threads of the expression, in the order of preference, scalar by scalar.
private struct PatternSearch {
  let program: [PatternStep]
  let slots: Int
  let text: [Unicode.Scalar]
  /// The position at which a step was last put into a list, so that none is there twice.
  private var seen: [Int]

  private struct Thread {
    var step: Int
    var slots: [Int]
  }

  init(program: [PatternStep], slots: Int, text: [Unicode.Scalar]) {
    self.program = program
    self.slots = slots
    self.text = text
    seen = Array(repeating: -1, count: program.count)
  }

  mutating func run() -> [Int]? {
    var threads: [Thread] = []
    var found: [Int]?
    for position in 0...text.count {
      // A match that begins further left is preferred; once there is one, no other begins.
      if found == nil {
        add(Thread(step: 0, slots: Array(repeating: -1, count: slots)), at: position, to: &threads)
      }
      if threads.isEmpty, found != nil { break }
      var next: [Thread] = []
      scan: for thread in threads {
        switch program[thread.step] {
        case .scalar(let set):
          if position < text.count, set.contains(text[position]) {
            var thread = thread
            thread.step += 1
            add(thread, at: position + 1, to: &next)
          }
        case .match:
          found = thread.slots
          // The threads behind have lower preference.
          break scan
        case .split, .jump, .save, .check: break
        }
      }
      threads = next
    }
    return found
  }

  /// Follows the steps that take no scalar and puts those that do, and matches, into the list.
  private mutating func add(_ thread: Thread, at position: Int, to list: inout [Thread]) {
    var open = [thread]
    while var thread = open.popLast() {
      guard seen[thread.step] != position else { continue }
      seen[thread.step] = position
      switch program[thread.step] {
      case .jump(let step):
        thread.step = step
        open.append(thread)
      case .split(let first, let second):
        thread.step = second
        open.append(thread)
        thread.step = first
        open.append(thread)
      case .save(let slot):
        thread.slots[slot] = position
        thread.step += 1
        open.append(thread)
      case .check(let place):
        guard holds(place, at: position) else { continue }
        thread.step += 1
        open.append(thread)
      case .scalar, .match: list.append(thread)
      }
    }
  }

  private func holds(_ place: PatternNode.Place, at position: Int) -> Bool {
    switch place {
    case .start: position == 0
    // As in Perl, .NET and Python: also before a line break that ends the text.
    case .end: position == text.count || position == text.count - 1 && text[position] == "\n"
    case .wordEdge: isWord(position - 1) != isWord(position)
    case .noWordEdge: isWord(position - 1) == isWord(position)
    }
  }

  private func isWord(_ position: Int) -> Bool {
    text.indices.contains(position) && PatternParser.word.contains(text[position])
  }
}
