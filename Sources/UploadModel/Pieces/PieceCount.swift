/// How far an attempt to send a file in pieces has come.
package struct PieceCount: Hashable, Sendable, Codable {
  /// How many pieces the file has.
  package var count: Int
  /// How many of them the server had when the attempt began.
  package var resumed = 0
  /// How many the attempt has sent.
  package var sent: Int

  /// The count once the server has all pieces.
  var whole: PieceCount { PieceCount(count: count, resumed: resumed, sent: count - resumed) }

  /// In words, such as "12 pieces, 9 of them sent by this attempt".
  package var words: String {
    let all = HumanReadable.count(count, "piece")
    let there = resumed + sent == count ? all : "\(resumed + sent) of \(all)"
    return resumed == 0 ? there : "\(there), \(sent) of them sent by this attempt"
  }
}

extension ResumePoint {
  /// How far the last attempt has come; nil if the file does not go in pieces.
  package var pieceCount: PieceCount? {
    guard let pieces, pieces.size > 0 else { return nil }
    let count = PieceRules.count(of: pieces.size, for: identity.size)
    func taken(_ bytes: Int64) -> Int {
      if bytes >= identity.size { return count }
      // If pieces go in any order, the last one may be among those taken. It may be shorter, and so leave a remainder.
      let isMore = pieces.done != nil && bytes % pieces.size > 0
      return max(0, Int(clamping: bytes / pieces.size)) + (isMore ? 1 : 0)
    }
    // An empty file is one empty piece.
    guard identity.size > 0 else { return PieceCount(count: 1, sent: pieces.hasTaken ? 1 : 0) }
    let resumed = taken(start)
    return PieceCount(count: count, resumed: resumed, sent: max(0, taken(offset) - resumed))
  }
}
