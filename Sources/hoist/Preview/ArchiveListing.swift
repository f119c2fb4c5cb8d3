import MultipartForm

/// The contents of a zip or tar archive, from its headers: nothing is unpacked.
struct ArchiveListing {
  struct Member: Hashable {
    var name: String
    /// The unpacked size in bytes; nil if it is unknown.
    var size: Int64?
  }

  /// The kind of archive, in a few words.
  let kind: String
  private(set) var members: [Member] = []
  /// How many members there are; nil if that is unknown.
  private(set) var count: Int?
  /// Whether `members` may be incomplete.
  private(set) var isCut = true

  /// How many bytes of a zip archive's table are read.
  private static let mostBytes = 512 << 10
  /// How long a name may be.
  private static let longestName = 4096

  /// Nil if the file is neither a zip nor a tar archive.
  init?(_ file: HeldFile, _ head: [UInt8], most: Int, isCancelled: () -> Bool) {
    if head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6]) {
      kind = "zip archive"
      readZip(file, most: most)
    } else if Self.isTarHeader(head.prefix(512)) {
      kind = "tar archive"
      readTar(file, most: most, isCancelled: isCancelled)
    } else {
      return nil
    }
  }

  // MARK: Zip (APPNOTE.TXT)

  private mutating func readZip(_ file: HeldFile, most: Int) {
    // The record that ends the table is at the end of the file, before a comment of up to 64 KiB.
    let start = max(0, file.identity.size - Int64(22 + 65_535))
    let tail = file.read(at: start, 22 + 65_535)[...]
    guard
      let end = tail.indices.dropLast(21).last(where: {
        tail[$0...].starts(with: [0x50, 0x4B, 5, 6])
      }), let total = tail[end...].little(10, 2), let place = tail[end...].little(16, 4)
    else { return }
    var (count, offset) = (total, Int64(place))
    if total == 0xFFFF || place == 0xFFFF_FFFF {
      // 64-bit values are in a separate record. A locator just before this record points to it.
      guard end >= 20, tail[(end - 20)...].starts(with: [0x50, 0x4B, 6, 7]),
        let at = tail[(end - 20)...].little(8, 8)
      else { return }
      let record = file.read(at: Int64(at), 56)[...]
      guard record.starts(with: [0x50, 0x4B, 6, 6]), let all = record.little(32, 8),
        let first = record.little(48, 8)
      else { return }
      (count, offset) = (all, Int64(first))
    }
    self.count = count
    var rest = file.read(at: offset, Self.mostBytes)[...]
    while members.count < min(most, count) {
      guard rest.starts(with: [0x50, 0x4B, 1, 2]), let size = rest.little(24, 4),
        let name = rest.little(28, 2), let extra = rest.little(30, 2),
        let comment = rest.little(32, 2), 46 + name <= rest.count
      else { break }
      members.append(
        Member(
          name: String(decoding: rest.dropFirst(46).prefix(name), as: UTF8.self),
          // A 64-bit size is in the extra fields, which are not read.
          size: size == 0xFFFF_FFFF ? nil : Int64(size)))
      rest = rest.dropFirst(46 + name + extra + comment)
    }
    isCut = members.count < count
  }

  // MARK: Tar (POSIX.1, pax; GNU tar)

  private static func isTarHeader(_ header: ArraySlice<UInt8>) -> Bool {
    guard header.count == 512, let sum = octal(header.dropFirst(148).prefix(8)) else {
      return false
    }
    // The checksum is the sum of all bytes, with blanks in place of the checksum itself.
    let bytes = header.enumerated().reduce(0) { total, byte in
      total + ((148..<156).contains(byte.offset) ? 0x20 : Int(byte.element))
    }
    return Int(sum) == bytes && header.first != 0
  }

  /// A number in octal digits, or, if its first bit is set, in binary; nil if it is neither.
  private static func octal(_ field: ArraySlice<UInt8>) -> Int64? {
    guard let first = field.first else { return nil }
    if first & 0x80 != 0 {
      let value = field.dropFirst(field.count - 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int64(exactly: value)
    }
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard !digits.isEmpty, digits.count <= 20 else { return nil }
    return digits.reduce(0) { $0 << 3 | Int64($1 - 0x30) }
  }

  private mutating func readTar(_ file: HeldFile, most: Int, isCancelled: () -> Bool) {
    var (offset, longName): (Int64, String?) = (0, nil)
    // The number of reads is limited, since each header is in a different place on the disk.
    for _ in 0..<(4 * most) {
      let header = file.read(at: offset, 512)[...]
      guard !isCancelled(), Self.isTarHeader(header),
        let size = Self.octal(header.dropFirst(124).prefix(12)), size >= 0
      else {
        // A block of zeros marks the end.
        isCut = header.contains { $0 != 0 }
        if !isCut { count = members.count }
        return
      }
      let (next, overflow) = offset.addingReportingOverflow(512 + (size + 511) / 512 * 512)
      guard !overflow else { break }
      let length = Int(min(size, Int64(Self.longestName)))
      switch header.dropFirst(156).first ?? 0 {
      // The name of the next member, if it does not fit into that member's header.
      case UInt8(ascii: "L"): longName = Self.text(file.read(at: offset + 512, length)[...])
      case UInt8(ascii: "x"): longName = Self.path(file.read(at: offset + 512, length)) ?? longName
      case UInt8(ascii: "g"), UInt8(ascii: "K"): break
      default:
        guard members.count < most else { return }
        members.append(Member(name: longName ?? Self.name(header), size: size))
        longName = nil
      }
      offset = next
    }
  }

  private static func name(_ header: ArraySlice<UInt8>) -> String {
    let prefix = text(header.dropFirst(345).prefix(155))
    let isPOSIX = header.dropFirst(257).starts(with: "ustar\0".utf8)
    return (isPOSIX && !prefix.isEmpty ? prefix + "/" : "") + text(header.prefix(100))
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The path in the records `length keyword=value\n` of a pax header; nil if they have no path.
  private static func path(_ records: [UInt8]) -> String? {
    var rest = records[...]
    while let space = rest.firstIndex(of: 0x20),
      let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length > 0,
      length <= rest.count
    {
      let record = rest.prefix(length).dropFirst(space - rest.startIndex + 1).dropLast()
      if record.starts(with: "path=".utf8) { return text(record.dropFirst(5)) }
      rest = rest.dropFirst(length)
    }
    return nil
  }
}
