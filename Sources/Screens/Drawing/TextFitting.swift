/// Cuts and wraps text by columns.
enum TextFitting {
  /// The beginning of `glyphs` in at most `width` columns, with an ellipsis if some are missing.
  static func end(_ glyphs: [Glyph], to width: Int, ascii: Bool) -> [Glyph] {
    if Glyphs.width(glyphs) <= width { return glyphs }
    guard width > 0 else { return [] }
    return glyphs.prefix(count(of: glyphs, in: width - 1)) + [Glyph(sign: "…", ascii: ascii)]
  }

  /// The beginning of a sentence, as `end` has it, but without the beginning of a number, which is another number.
  static func beginning(of sentence: [Glyph], to width: Int, ascii: Bool) -> [Glyph] {
    let whole = end(sentence, to: width, ascii: ascii)
    guard let ellipsis = whole.last, whole.count <= sentence.count, whole != sentence,
      sentence[whole.count - 1].isDigit
    else { return whole }
    let kept = whole.dropLast().reversed().drop { $0.isDigit }.drop { $0.base == " " }.reversed()
    return kept.isEmpty ? whole : kept + [ellipsis]
  }

  /// `glyphs` in at most `width` columns, cut in the middle, so that the extension of a file name and a little of the
  /// name before it stay.
  static func middle(_ glyphs: [Glyph], to width: Int, ascii: Bool) -> [Glyph] {
    guard let (head, tail) = parts(of: glyphs, inMiddleOf: width) else { return glyphs }
    if width <= 0 { return [] }
    return glyphs.prefix(head) + [Glyph(sign: "…", ascii: ascii)] + glyphs.suffix(tail)
  }

  /// `glyphs` in at most `width` columns, cut so that at most `tail` columns of their end stay.
  static func middle(_ glyphs: [Glyph], to width: Int, keeping tail: Int, ascii: Bool) -> [Glyph] {
    if Glyphs.width(glyphs) <= width { return glyphs }
    guard width > 0 else { return [] }
    let end = glyphs.suffix(count(of: glyphs.reversed(), in: min(tail, width - 1)))
    let head = count(of: glyphs, in: width - 1 - Glyphs.width(end))
    return glyphs.prefix(head) + [Glyph(sign: "…", ascii: ascii)] + end
  }

  /// The new places of glyphs once their text has been cut in the middle, without those that are cut off.
  static func places(_ places: [Int], of glyphs: [Glyph], inMiddleOf width: Int) -> [Int] {
    guard let (head, tail) = parts(of: glyphs, inMiddleOf: width) else { return places }
    let gone = glyphs.count - head - tail
    return places.compactMap { place in
      place < head ? place : place >= head + gone ? place - gone + 1 : nil
    }
  }

  /// How many glyphs stay at the beginning and at the end; nil if all stay.
  private static func parts(of glyphs: [Glyph], inMiddleOf width: Int) -> (head: Int, tail: Int)? {
    if Glyphs.width(glyphs) <= width { return nil }
    let room = width - 1
    guard width > 4 else { return (count(of: glyphs, in: room), 0) }
    // A third of the room is for the end, or more if a long extension needs it and half is left for the beginning.
    let fileExtension = glyphs.lastIndex { $0.base == "." }.map { Glyphs.width(glyphs[$0...]) } ?? 0
    let end = fileExtension <= room / 2 ? max(room / 3, fileExtension) : room / 3
    let tail = count(of: glyphs.reversed(), in: end)
    return (count(of: glyphs, in: room - Glyphs.width(glyphs.suffix(tail))), tail)
  }

  /// `text` in at most `width` columns, cut in the middle.
  static func middle(_ text: String, to width: Int, ascii: Bool) -> String {
    middle(Glyphs.of(text, ascii: ascii), to: width, ascii: ascii).map(\.text).joined()
  }

  /// `glyphs` in at most `most` lines, with an ellipsis at their end if some are missing.
  static func wrapped(
    _ glyphs: [Glyph], to width: Int, lines most: Int, ascii: Bool
  ) -> [ArraySlice<Glyph>] {
    let lines = wrapped(glyphs, to: width)
    guard most > 0, lines.count > most else { return lines }
    let rest = Array(glyphs[lines[most - 1].startIndex...])
    return lines.prefix(most - 1) + [end(rest, to: width, ascii: ascii)[...]]
  }

  /// `glyphs` in lines of at most `width` columns, broken at spaces where there are any, or else between the parts of a
  /// path, a type or a list, and only then within a word.
  static func wrapped(_ glyphs: [Glyph], to width: Int) -> [ArraySlice<Glyph>] {
    guard width > 1 else { return [] }
    var lines: [ArraySlice<Glyph>] = []
    var start = 0
    while start < glyphs.count {
      var (end, used, space) = (start, 0, Int?.none)
      while end < glyphs.count, used + Int(glyphs[end].width) <= width {
        if glyphs[end].base == " " { space = end }
        used += Int(glyphs[end].width)
        end += 1
      }
      if end == glyphs.count {
        lines.append(glyphs[start...])
        break
      }
      if glyphs[end].base == " " { space = end }
      if let space, space > start {
        lines.append(glyphs[start..<space])
        start = space + 1
      } else {
        let next = lastPart(of: glyphs, from: start, to: end)
        lines.append(glyphs[start..<next])
        start = next
      }
    }
    return lines.isEmpty ? [[]] : lines
  }

  /// Where a line ends that has no space and is followed by another glyph at `end`: after a part, or else within a word.
  private static func lastPart(of glyphs: [Glyph], from start: Int, to end: Int) -> Int {
    // A line with little more than the "/" of a path would look empty.
    let least = start + (end - start) / 3
    let part = (least + 1...end).last { glyphs[$0 - 1].endsPart && !glyphs[$0].endsPart }
    // No line begins with a comma.
    return part ?? (glyphs[end].endsPart && end > start + 1 ? end - 1 : end)
  }

  /// How many of the first glyphs fit in `width` columns.
  private static func count(of glyphs: some Collection<Glyph>, in width: Int) -> Int {
    var used = 0
    return glyphs.prefix { glyph in
      used += Int(glyph.width)
      return used <= width
    }.count
  }
}

extension Glyph {
  fileprivate var isDigit: Bool { ("0"..."9").contains(base) }

  /// Whether a line may end after it although no space follows.
  fileprivate var endsPart: Bool { base == "/" || base == ";" || base == "," }
}
