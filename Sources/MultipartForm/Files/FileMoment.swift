/// What is known of the one moment at which a file held everything that was read of it, whether at once or in several
/// steps, and perhaps by several processes. It is kept between two readings.
package struct FileMoment: Hashable, Sendable, Codable {
  /// Consecutive bytes that were read in order.
  struct Stretch: Hashable, Sendable, Codable {
    var start: Int64
    var end: Int64
    /// Their checksum.
    var sum: UInt64

    init(start: Int64, end: Int64, sum: UInt64) {
      (self.start, self.end, self.sum) = (start, end, sum)
    }

    /// Decodes what another program may have written, so an impossible range is replaced by a possible one.
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      start = max(0, try values.decode(Int64.self, forKey: .start))
      end = max(start, try values.decode(Int64.self, forKey: .end))
      sum = try values.decode(UInt64.self, forKey: .sum)
    }
  }

  /// The time of the last change of anything about the file (`st_ctime`), in nanoseconds since 1970. Unlike the
  /// modification time, nobody can set it; new permissions, names or owners change it too.
  var changed: Int64
  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool
  /// Everything that was read; nil if more may have been read since this was kept.
  var stretches: [Stretch]?

  /// Whether nothing more was read after this was kept.
  package var isOver: Bool { stretches != nil }

  /// The same, to be kept while the file is being read: a later reader does not know how far the reading has come.
  package var whileReading: FileMoment {
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
