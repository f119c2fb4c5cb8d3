/// What is known of the one moment at which a file held all that was read of it, in one go or in several, and perhaps by
/// several processes: kept between two readings.
public struct FileMoment: Hashable, Sendable, Codable {
  /// Bytes that were read one after the other.
  struct Stretch: Hashable, Sendable, Codable {
    var start: Int64
    var end: Int64
    /// The sum of them.
    var sum: UInt64

    init(start: Int64, end: Int64, sum: UInt64) {
      (self.start, self.end, self.sum) = (start, end, sum)
    }

    /// What another program may have written: a stretch that cannot be has no bytes, and nobody's sum.
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      start = max(0, try values.decode(Int64.self, forKey: .start))
      end = max(start, try values.decode(Int64.self, forKey: .end))
      sum = try values.decode(UInt64.self, forKey: .sum)
    }
  }

  /// The time of the last change of anything about the file (`st_ctime`), in nanoseconds since 1970. Nobody
  /// can set it, unlike that of the content; a new permission, name or owner changes it too.
  var changed: Int64
  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool
  /// All that was read; nil where more may have been read since this was kept.
  var stretches: [Stretch]?

  /// Whether nothing more was read after this was kept.
  public var isOver: Bool { stretches != nil }

  /// The same, to be kept while the file is being read: who finds it later does not know how far that has come.
  public var whileReading: FileMoment {
    var moment = self
    moment.stretches = nil
    return moment
  }

  /// Whether each byte of a range was read.
  func covers(_ range: Range<Int64>) -> Bool {
    guard let stretches else { return false }
    var end = range.lowerBound
    for stretch in stretches.sorted(by: { $0.start < $1.start }) {
      guard stretch.start <= end else { break }
      end = max(end, stretch.end)
    }
    return end >= range.upperBound
  }
}
