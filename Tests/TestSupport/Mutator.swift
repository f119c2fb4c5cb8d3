/// Makes inputs out of a corpus: a few random edits of one entry, or a piece of another in it. Numbers, in digits and in
/// bytes, become those at which arithmetic goes wrong.
public struct Mutator: Sendable {
  private static let numbers = [
    "0", "-1", "1", "127", "128", "255", "256", "32767", "65535", "65536", "2147483647",
    "2147483648",
    "-2147483648", "4294967295", "4294967296", "999999999999999", "9007199254740993",
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551615", "18446744073709551616", "1e308", "1e999", "-1e308", "1e18", "0.5",
    "NaN",
    "inf", "99999999999999999999999999999999999999999", "",
  ].map { Array($0.utf8) }

  private let corpus: [[UInt8]]
  private let tokens: [[UInt8]]
  private var random: SplitMix64

  /// `tokens` are texts that mean something to whatever reads the inputs.
  public init(corpus: [[UInt8]], tokens: [String], seed: UInt64) {
    self.corpus = corpus.isEmpty ? [[0]] : corpus
    self.tokens = tokens.map { Array($0.utf8) } + Self.numbers
    random = SplitMix64(seed: seed)
  }

  /// The next input, of at most 4 KiB.
  public mutating func next() -> [UInt8] {
    var input = corpus[Int.random(in: 0..<corpus.count, using: &random)]
    for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&input) }
    return Array(input.prefix(4096))
  }

  private mutating func mutate(_ input: inout [UInt8]) {
    let start = Int.random(in: 0...input.count, using: &random)
    let end = min(input.count, start + Int.random(in: 0...16, using: &random))
    switch Int.random(in: 0..<9, using: &random) {
    case 0: input.removeSubrange(start..<end)
    case 1: input.insert(contentsOf: input[start..<end], at: start)
    case 2:
      let token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
      input.replaceSubrange(start..<(Bool.random(using: &random) ? start : end), with: token)
    case 3: input.insert(UInt8.random(in: 0...255, using: &random), at: start)
    case 4: if start < end { input[start] ^= 1 << UInt8.random(in: 0...7, using: &random) }
    case 5:
      // The bytes of a number: all ones, all zeros, or the lowest with a sign.
      let bytes: [UInt8] = [0, 0x7F, 0x80, 0xFF]
      let byte = bytes[Int.random(in: 0..<bytes.count, using: &random)]
      for index in start..<min(end, start + 8) {
        input[index] = index == start ? byte : (byte & 1) * 0xFF
      }
    case 6, 7: replaceNumber(&input, from: start)
    default:
      let other = corpus[Int.random(in: 0..<corpus.count, using: &random)]
      let from = Int.random(in: 0...other.count, using: &random)
      input.replaceSubrange(start..., with: other[from...])
    }
  }

  /// Replaces the first digits from here on.
  private mutating func replaceNumber(_ input: inout [UInt8], from start: Int) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = input[start...].firstIndex(where: digits.contains) else { return }
    let end = input[first...].firstIndex { !digits.contains($0) } ?? input.count
    let number = Self.numbers[Int.random(in: 0..<Self.numbers.count, using: &random)]
    input.replaceSubrange(first..<end, with: number)
  }
}
