/// What a cell means; the terminal decides how it looks. Nothing is told by the role alone: with
/// neither colour nor attributes the words and glyphs still say all of it.
public enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, dim, heading, rule, accent, good, bad, warning, barFull, barRest, field, button
}
