import TestSupport

/// Makes inputs out of a corpus: a few random edits of one entry, or a piece of another in it.
struct Mutator {
  private static let tokens: [[UInt8]] = [
    "--B", "\r\n--B", "\r\n--B\r\n", "\r\n--B--", "\r\n--B--\r\n", "\r\n", "\r\n\r\n", "\r", "\n",
    "Content-Disposition: form-data; name=\"a\"\r\n\r\n", "; filename=\"f\"", "\\\"", "\"", ";",
    "Content-Type: a/b\r\n", "\r\n ", "%22", "filename*=UTF-8''%41", "\0", "\r\n--x-y", "--",
  ].map { Array($0.utf8) }

  private let corpus: [[UInt8]]
  private var random: SplitMix64

  init(corpus: [[UInt8]], seed: UInt64) {
    self.corpus = corpus.isEmpty ? [[0]] : corpus
    random = SplitMix64(seed: seed)
  }

  mutating func next() -> [UInt8] {
    var input = corpus[Int.random(in: 0..<corpus.count, using: &random)]
    for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&input) }
    return Array(input.prefix(4096))
  }

  private mutating func mutate(_ input: inout [UInt8]) {
    let start = Int.random(in: 0...input.count, using: &random)
    let end = min(input.count, start + Int.random(in: 0...16, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: input.removeSubrange(start..<end)
    case 1: input.insert(contentsOf: input[start..<end], at: start)
    case 2:
      let token = Self.tokens[Int.random(in: 0..<Self.tokens.count, using: &random)]
      input.replaceSubrange(start..<(Bool.random(using: &random) ? start : end), with: token)
    case 3: input.insert(UInt8.random(in: 0...255, using: &random), at: start)
    case 4: if start < end { input[start] ^= 1 << UInt8.random(in: 0...7, using: &random) }
    default:
      let other = corpus[Int.random(in: 0..<corpus.count, using: &random)]
      let from = Int.random(in: 0...other.count, using: &random)
      input.replaceSubrange(start..., with: other[from...])
    }
  }
}
