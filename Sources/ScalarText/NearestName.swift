/// Finds the name that a misspelt name probably stands for.
package enum NearestName {
  /// The candidate with the smallest edit distance, if that distance is at most 1 or at most a third of the longer
  /// name's length.
  package static func of(_ name: String, among candidates: [String]) -> String? {
    let scored = candidates.map { ($0, distance(name, $0)) }
    guard let best = scored.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }),
      best.1 <= max(1, max(name.count, best.0.count) / 3)
    else { return nil }
    return best.0
  }

  /// The edit distance: insertions, deletions, substitutions and swaps of adjacent characters.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.lowercased()), Array(b.lowercased()))
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
