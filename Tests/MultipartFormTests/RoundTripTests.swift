import Foundation
import MultipartForm
import MultipartOracle
import TestSupport
import Testing

/// Random forms from fixed seeds: written, read in buffers of random sizes, parsed in pieces of
/// random sizes, and compared.
@Suite struct RoundTripTests {
  static let cases = Effort.of(800, long: 12_000)
  static let batches = 8

  @Test("encoder to parser, made-up forms", arguments: 0..<batches)
  func encoderToParser(batch: Int) throws {
    let files = try RandomForm.Files(seed: UInt64(batch))
    for index in 0..<(Self.cases / Self.batches) {
      let seed = UInt64(batch * 1_000_000 + index)
      var random = SplitMix64(seed: seed)
      let sample = try RandomForm(files: files, using: &random)
      let body = try FormBody(sample.form)
      let bytes = try body.bytes(bufferSize: Int.random(in: 1...5000, using: &random))
      try #require(Int64(bytes.count) == body.contentLength, "seed \(seed)")

      let most = [1, 3, 80, 5000].randomElement(using: &random) ?? 1
      let parsed = Parsed(bytes, boundary: sample.form.boundary) {
        Int.random(in: 1...most, using: &random)
      }
      try #require(parsed.error == nil, "seed \(seed)")
      try #require(parsed.parts.count == sample.expected.count, "seed \(seed)")
      for (part, expected) in zip(parsed.parts, sample.expected) {
        try #require(part.header.name == expected.name, "seed \(seed)")
        try #require(part.header.fileName == expected.fileName, "seed \(seed)")
        try #require(part.header.contentType == expected.contentType, "seed \(seed)")
        try #require(part.content == expected.content, "seed \(seed)")
      }
      let ranges = body.contentRanges.map { Int($0.lowerBound)..<Int($0.upperBound) }
      try #require(ranges.map { Array(bytes[$0]) } == sample.expected.map(\.content))
    }
  }

  @Test("the fuzzer's corpus breaks no law")
  func corpus() throws {
    let directory = Repository.root + "/Tests/Fuzz/corpus"
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(names.count > 100)
    for name in names {
      Oracle.check([UInt8](try Data(contentsOf: URL(filePath: "\(directory)/\(name)"))))
    }
  }
}
