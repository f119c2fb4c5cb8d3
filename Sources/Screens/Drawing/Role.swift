/// The meaning of a cell; the terminal decides how it looks. No information is in the role alone: words and
/// glyphs convey all of it without colours and attributes.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, dim, heading, rule, accent, good, bad, warning, barFull, barRest, field, button
}
