/// The addresses that files were sent to, so that no file overwrites another.
package struct SentAddresses: Sendable {
  /// For each address, the file that went there. Both are kept as hashes, since there may be very many.
  private var files: [Int: Int] = [:]

  package init() {}

  /// Notes that a file goes to an address, or says why it must not: another file has gone there and would
  /// be overwritten. The same file may go again.
  package mutating func claim(
    _ address: String, for item: UploadItem, of target: Target
  ) -> Failure.Cause? {
    let isFilledIn = target.address != nil || target.ticket?.uploadURL.isLiteral == false
    guard isFilledIn, target.method == "PUT", !target.takesSameNames else { return nil }
    let (place, file) = (address.hashValue, item.location.hashValue)
    if let other = files[place], other != file {
      return .unsendable(
        "another file was sent to the same address and would be overwritten; put {file.path} or {uuid} "
          + "into the address, or allow this with same_names = true")
    }
    files[place] = file
    return nil
  }
}
