extension ScratchDirectory {
  /// Writes a file of `count` bytes that are the same for the same seed, and gives its path.
  @discardableResult
  public func write(_ name: String, count: Int, seed: UInt64 = 1) throws -> String {
    var generator = SplitMix64(seed: seed)
    return try write(name, generator.bytes(count))
  }
}
