import Foundation

/// Writes all bytes to a file. Returns zero, or the value of `errno`.
package func writeAll(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Int32 {
  var rest = bytes
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return count == 0 ? ENOSPC : errno }
    rest = rest.dropFirst(count)
  }
  return 0
}
