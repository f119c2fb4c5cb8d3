/// What is known about the one moment at which a file contained everything that was read from it, whether at once or in
/// several steps, perhaps by several processes. This is saved between two readings.
package struct FileMoment: Hashable, Sendable, Codable {
  /// A range of bytes that was read in order.
  struct Stretch: Hashable, Sendable, Codable {
    var start: Int64
    var end: Int64
    /// The checksum of these bytes.
    var sum: UInt64

    init(start: Int64, end: Int64, sum: UInt64) {
      (self.start, self.end, self.sum) = (start, end, sum)
    }

    /// Replaces an impossible range with a possible one, since another program may have written the saved values.
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      start = max(0, try values.decode(Int64.self, forKey: .start))
      end = max(start, try values.decode(Int64.self, forKey: .end))
      sum = try values.decode(UInt64.self, forKey: .sum)
    }
  }

  /// The time of the last change to the file's content or metadata (`st_ctime`), in nanoseconds since 1970. Unlike the
  /// modification time, it cannot be set by programs; new permissions, names or owners change it too.
  var changed: Int64
  /// Whether the file may have been written to unnoticed.
  var isDoubtful: Bool
  /// Everything that was read; nil if more may have been read since this was saved.
  var stretches: [Stretch]?

  /// Whether nothing more was read after this was saved.
  package var isOver: Bool { stretches != nil }

  /// The moment to save while the file is being read. It has no stretches, since a later reader cannot know how far
  /// that reading got.
  package var whileReading: FileMoment {
    FileMoment(changed: changed, isDoubtful: isDoubtful, stretches: nil)
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
