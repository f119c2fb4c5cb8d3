import Foundation
import TestSupport
import Testing

/// Numbers from outside: arithmetic on them must not trap. A trap ends the process, and so this test; the input is then in
/// `.build/fuzz`, and belongs into the corpus.
@Suite("Readers of bytes from outside come to an end", .serialized) struct ReaderTests {
  /// What is given to a reader is first written here.
  private static func noted(_ reader: Reader) throws -> (_ input: [UInt8]) -> Void {
    let folder = URL(filePath: "\(Repository.root)/.build/fuzz")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = open(
      folder.appending(path: reader.rawValue).path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    try #require(file >= 0)
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    return { input in
      ftruncate(handle.fileDescriptor, 0)
      _ = pwrite(handle.fileDescriptor, input, input.count, 0)
    }
  }

  @Test("with the corpus, and with a few edits of it", arguments: Reader.allCases)
  func corpus(_ reader: Reader) throws {
    let corpus = try reader.corpus()
    #expect(!corpus.isEmpty)
    var mutator = Mutator(corpus: corpus, tokens: Self.words(of: corpus), seed: 1)
    let note = try Self.noted(reader)
    for input in corpus + (0..<Effort.of(20, long: 2000)).map({ _ in mutator.next() }) {
      note(input)
      try reader.read(input)
    }
  }

  private static let chosen = ProcessInfo.processInfo.environment["HOIST_FUZZ"].flatMap(Reader.init)

  /// `HOIST_FUZZ=reply HOIST_FUZZ_SECONDS=120`, as Tests/Fuzz/readers.sh does.
  @Test("with random edits of the corpus for some time", .enabled(if: chosen != nil))
  func fuzz() throws {
    let reader = try #require(Self.chosen)
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["HOIST_FUZZ_SECONDS"].flatMap(Double.init) ?? 120
    let seed =
      environment["HOIST_FUZZ_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    let corpus = try reader.corpus()
    var mutator = Mutator(corpus: corpus, tokens: Self.words(of: corpus), seed: seed)
    let end = Date() + seconds
    var count = 0
    let note = try Self.noted(reader)
    while Date() < end {
      let input = mutator.next()
      note(input)
      try reader.read(input)
      count += 1
    }
    print("\(reader.rawValue): \(count) inputs, seed \(seed), \(Int(seconds)) s: no trap")
  }

  /// The words and marks in the corpus, which mean something to the reader.
  private static func words(of corpus: [[UInt8]]) -> [String] {
    let words = corpus.flatMap {
      String(decoding: $0, as: UTF8.self).split { !$0.isLetter && $0 != "-" && $0 != "_" }
    }
    return Set(words.map(String.init)).sorted() + [
      "\"", "{", "}", "[", "]", "<", ">", ":", ",", "=", "\n", "\r\n", "\0",
    ]
  }
}
