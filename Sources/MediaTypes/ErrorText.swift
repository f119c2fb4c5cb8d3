import Foundation

/// The C library's words for a value of `errno`.
func errorText(_ code: Int32) -> String {
  // strerror itself shares one buffer between threads.
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
