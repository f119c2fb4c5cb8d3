import Foundation
import TestSupport
import Testing

@testable import MultipartForm

/// A file that goes in several requests: what the slices of a body give is of one moment.
@Suite("A file that is held while slices of it are read") struct HeldFileTests {
  /// What happens to the file between two slices.
  enum Event: CaseIterable {
    case nothing, settingBack, mapping, mappingAnew, permissions, movedAway, removed

    var isHarmful: Bool { [.settingBack, .mapping, .mappingAnew].contains(self) }
  }

  private static let size = 5 << 20
  private let scratch: ScratchDirectory
  private let path: String

  init() throws {
    scratch = try ScratchDirectory()
    path = scratch.path("file")
  }

  private func make(isOld: Bool) async throws {
    try scratch.write("file", [UInt8](repeating: 1, count: Self.size))
    if isOld { try await FileChange.waitUntilOld(path) }
  }

  private func happen(_ event: Event, _ mapping: MappedFile?) throws {
    switch event {
    case .nothing: break
    case .settingBack: try FileChange.rewrite(path, [UInt8](repeating: 2, count: Self.size))
    case .mapping: mapping?.fill(with: 2)
    case .mappingAnew:
      try FileChange.keepingTimes(of: path) { try MappedFile(path, Self.size).fill(with: 2) }
    case .permissions: #expect(chmod(path, 0o400) == 0)
    case .movedAway: #expect(rename(path, path + ".away") == 0)
    case .removed: #expect(unlink(path) == 0)
    }
  }

  private func range(_ start: Double, _ end: Double) -> Range<Int64> {
    Int64(start * Double(Self.size))..<Int64(end * Double(Self.size))
  }

  @Test(
    "is sent as it was at one moment, or not to its end", arguments: Event.allCases, [false, true])
  func slices(_ event: Event, isOld: Bool) async throws {
    try await make(isOld: isOld)
    let mapping = event == .mapping ? try MappedFile(path, Self.size) : nil
    mapping?.fill(with: 1)
    let body = try FormBody(rawFile: HeldFile(FileLocation(path)))
    #expect(try Data(body.slice(range(0, 0.3)).bytes()) == Data(repeating: 1, count: 1_572_864))
    _ = try body.slice(range(0.3, 0.6)).bytes()
    try happen(event, mapping)
    // The other side has less than was read.
    let rest = body.slice(range(0.5, 1))
    if event.isHarmful {
      #expect(throws: BodyError.file(FileError(FileLocation(path), .modified))) { try rest.bytes() }
    } else {
      #expect(try Data(rest.bytes()) == Data(repeating: 1, count: Self.size / 2))
    }
  }

  /// How a file that may grow changes, and whether it still begins with what it was.
  enum Growth: CaseIterable {
    case appended, overwrittenToo, writtenAnew

    func happen(to path: String) throws {
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      if self == .writtenAnew { try file.truncate(atOffset: 0) }
      if self != .overwrittenToo { try file.seekToEnd() }
      let count = self == .appended ? 13 : HeldFileTests.size + 13
      try file.write(contentsOf: Data(repeating: 2, count: count))
      try file.close()
    }
  }

  @Test(
    "one that may grow is sent as it was when it was opened, if its beginning is the same",
    arguments: Growth.allCases, [0, 1, size / 2, size - 1])
  func growing(_ growth: Growth, readBefore: Int) async throws {
    for isInPieces in [false, true] {
      try? FileManager.default.removeItem(atPath: path)
      try await make(isOld: false)
      let file = try HeldFile(FileLocation(path), mayGrow: true)
      file.isReadInAnyOrder = isInPieces
      let body = try FormBody(rawFile: file)
      let reader = body.makeReader()
      var content = [UInt8](repeating: 0, count: readBefore)
      _ = try content.withUnsafeMutableBytes { try reader.read(into: $0) }
      try growth.happen(to: path)
      #expect(file.growth == 13)
      let fault = FileError(FileLocation(path), .modified)
      do {
        content += try reader.rest(bufferSize: 65_536)
        if isInPieces { try file.verify() }
        #expect(content == [UInt8](repeating: 1, count: Self.size))
        // Nearly all had been compared before the last byte was asked for.
        #expect(growth == .appended || readBefore == Self.size - 1)
      } catch let error as BodyError {
        #expect(growth != .appended && error == .file(fault))
      } catch let error as FileError {
        #expect(growth != .appended && error == fault)
      }
      // As it is now, it may not grow unless it is asked for.
      if growth == .appended {
        let strict = try FormBody(rawFile: HeldFile(FileLocation(path)))
        try Growth.appended.happen(to: path)
        #expect(throws: BodyError.self) { try strict.bytes() }
      }
    }
  }

  @Test("an empty file that may grow is sent as it was")
  func growingFromNothing() throws {
    try scratch.write("empty", [])
    let location = FileLocation(scratch.path("empty"))
    let file = try HeldFile(location, mayGrow: true)
    try scratch.write("empty", [1, 2])
    #expect(try FormBody(rawFile: file).bytes().isEmpty)
    #expect(file.growth == 2)
  }

  @Test("what was read before counts no more once the first byte is read again")
  func anew() async throws {
    try await make(isOld: false)
    let body = try FormBody(rawFile: HeldFile(FileLocation(path)))
    _ = try body.slice(range(0, 0.5)).bytes()
    try happen(.settingBack, nil)
    #expect(try Data(body.bytes()) == Data(repeating: 2, count: Self.size))
  }

  @Test(
    "several slices at once are of one moment, or that is found out", arguments: Event.allCases,
    [false, true])
  func atOnce(_ event: Event, isOld: Bool) async throws {
    try await make(isOld: isOld)
    let mapping = event == .mapping ? try MappedFile(path, Self.size) : nil
    mapping?.fill(with: 1)
    let file = try HeldFile(FileLocation(path))
    file.isReadInAnyOrder = true
    let body = try FormBody(rawFile: file)
    let readers = [range(0, 0.3), range(0.3, 0.6), range(0.6, 1)].map {
      body.slice($0).makeReader()
    }
    // By turns, the last one first; and the first slice goes twice.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for _ in 0..<3 {
      for reader in readers.reversed() {
        _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      }
    }
    // Three readings at once make three stretches, however often they take turns.
    #expect(file.moment.covers(range(0.6, 0.61)))
    for reader in readers.dropFirst() { _ = try reader.rest() }
    try happen(event, mapping)
    if event == .settingBack || event == .mappingAnew || event == .mapping {
      _ = try? readers[0].rest()
      _ = try? body.slice(range(0, 0.3)).bytes()
      #expect(throws: FileError(FileLocation(path), .modified)) { try file.verify() }
    } else {
      _ = try readers[0].rest()
      _ = try body.slice(range(0, 0.3)).bytes()
      try file.verify()
    }
  }

  @Test("slices that are read by turns leave one stretch each, and a gap is not the whole")
  func turns() async throws {
    try await make(isOld: false)
    let file = try HeldFile(FileLocation(path))
    file.isReadInAnyOrder = true
    let body = try FormBody(rawFile: file)
    let readers = [range(0, 0.2), range(0.2, 0.4), range(0.6, 1)].map {
      body.slice($0).makeReader()
    }
    var buffer = [UInt8](repeating: 0, count: 10_000)
    for turn in 0..<700 {
      _ = try buffer.withUnsafeMutableBytes { try readers[turn % 3].read(into: $0) }
    }
    #expect((file.moment.stretches?.count ?? 0) <= 3)
    #expect(try file.proof(of: [range(0, 0.4), range(0.6, 1)]) == .inContent)
    #expect(throws: FileError(FileLocation(path), .modified)) { try file.verify() }
    _ = try body.slice(range(0.4, 0.6)).bytes()
    try file.verify()
    // Nothing of it counts for another upload.
    try file.begin(anew: true)
    #expect(file.moment.stretches == [])
  }

  /// What shows, after the event, that the file holds what was sent, and whether it does.
  static let proofs: [(Event, HeldFile.Proof, isSame: Bool)] = [
    (.nothing, .same, true), (.permissions, .inContent, true), (.settingBack, .inContent, false),
    (.mappingAnew, .inContent, false), (.mapping, .inContent, false),
  ]

  @Test("another process sees whether the file still holds what was sent", arguments: proofs)
  func another(_ event: Event, _ proof: HeldFile.Proof, isSame: Bool) async throws {
    try await make(isOld: true)
    var mapping = event == .mapping ? try MappedFile(path, Self.size) : nil
    mapping?.fill(with: 1)
    let first = try HeldFile(FileLocation(path))
    _ = try FormBody(rawFile: first).slice(range(0, 0.6)).bytes()
    try happen(event, mapping)
    mapping = nil
    // As the queue keeps it.
    let kept = try JSONDecoder().decode(
      FileMoment.self, from: JSONEncoder().encode(first.moment))
    let second = try HeldFile(FileLocation(path), resuming: kept)
    #expect(try second.proof() == proof)
    #expect(try second.compare() == isSame)
    let rest = try FormBody(rawFile: second).slice(range(0.5, 1))
    if isSame {
      #expect(try Data(rest.bytes()) == Data(repeating: 1, count: Self.size / 2))
    }
    // A process that was killed has left no sums.
    let third = try HeldFile(FileLocation(path), resuming: kept.whileReading)
    #expect(try third.proof() == (proof == .same ? .same : HeldFile.Proof.none))
  }

  @Test("after a comparison, the file's new times prove as much as the old ones did")
  func settled() async throws {
    try await make(isOld: true)
    let file = try HeldFile(FileLocation(path))
    _ = try FormBody(rawFile: file).slice(range(0, 0.6)).bytes()
    try happen(.permissions, nil)
    try await FileChange.waitUntilOld(path)
    #expect(try file.proof() == .inContent)
    #expect(try file.compare())
    #expect(try file.proof() == .same)
    // It is written down like that, too.
    #expect(try HeldFile(file.location, resuming: file.moment.whileReading).proof() == .same)
  }

  @Test("a moment knows of which bytes it has sums")
  func coverage() {
    func moment(_ ranges: [Range<Int64>]?) -> FileMoment {
      FileMoment(
        changed: 0, isDoubtful: true,
        stretches: ranges?.map { .init(start: $0.lowerBound, end: $0.upperBound, sum: 0) })
    }
    #expect(moment([]).covers(0..<0))
    #expect(!moment(nil).covers(0..<0))
    #expect(moment([0..<5, 3..<9]).covers(0..<9))
    #expect(moment([3..<9, 0..<5]).covers(0..<9))
    #expect(!moment([0..<5, 6..<9]).covers(0..<9))
    #expect(!moment([1..<9]).covers(0..<9))
    #expect(!moment([0..<5]).covers(0..<9))
  }
}
