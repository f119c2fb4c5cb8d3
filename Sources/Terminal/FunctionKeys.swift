/// Finds the function keys that ncurses knows (terminfo) in what the terminal sends.
///
/// The rest of a key that has begun is waited for as long as `ESCDELAY` says. ncurses' own `wgetch` waits where it is called:
/// meanwhile, nothing would be drawn, and nothing else could happen.
struct FunctionKeys {
  /// What has been read.
  enum Piece: Equatable {
    /// A byte that belongs to no function key.
    case byte(UInt8)
    /// A key by ncurses' number.
    case key(Int32)
  }

  /// How long the next byte of a key is waited for.
  let delay: Duration
  /// The number of the key with these bytes; 0 if no key has them, negative if some keys only begin with them.
  private let find: ([UInt8]) -> Int32
  /// The bytes with which a key may have begun.
  private var begun: [UInt8] = []
  /// When no more is waited for.
  private(set) var deadline: KeyDecoder.Time?

  init(delay: Duration, find: @escaping ([UInt8]) -> Int32) {
    (self.delay, self.find) = (delay, find)
  }

  /// Takes bytes that have just been read.
  mutating func take(_ bytes: [UInt8], at now: KeyDecoder.Time) -> [Piece] {
    let pieces = bytes.flatMap { take($0) }
    deadline = begun.isEmpty ? nil : now + delay
    return pieces
  }

  /// Waits no longer for the rest of a key, if its time is over.
  mutating func expire(at now: KeyDecoder.Time) -> [Piece] {
    guard let deadline, now >= deadline else { return [] }
    let pieces = release()
    self.deadline = begun.isEmpty ? nil : now + delay
    return pieces
  }

  private mutating func take(_ byte: UInt8) -> [Piece] {
    begun.append(byte)
    let number = find(begun)
    if number < 0 { return [] }
    if number == 0 { return release() }
    begun = []
    return [.key(number)]
  }

  /// The first byte belongs to no key; those after it may.
  private mutating func release() -> [Piece] {
    let (first, rest) = (begun[0], begun.dropFirst())
    begun = []
    return [.byte(first)] + rest.flatMap { take($0) }
  }
}
