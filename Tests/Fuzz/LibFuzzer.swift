import MultipartOracle

/// What libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Oracle.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
