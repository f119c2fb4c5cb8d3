/// The addresses that files were sent to, so that none takes another one's place.
public struct SentAddresses: Sendable {
  /// Of each address, by its hash, the file that went there, by its hash: there may be very many.
  private var files: [Int: Int] = [:]

  /// No addresses.
  public init() {}

  /// Notes that a file goes to an address, or says why it should not: another one went there before and would
  /// be overwritten. The same file may go again.
  public mutating func claim(
    _ address: String, for item: UploadItem, of target: Target
  ) -> Failure.Cause? {
    guard target.hasAddressOfFile, target.method == "PUT", !target.takesSameNames else {
      return nil
    }
    let (place, file) = (address.hashValue, item.location.hashValue)
    if let other = files[place], other != file {
      return .unsendable(
        "another file was sent to the same address and would be overwritten; put {file.path} or {uuid} "
          + "into it, or allow it with same_names = true")
    }
    files[place] = file
    return nil
  }
}

extension Target {
  /// Whether hoist itself gives each file an address of its own.
  fileprivate var hasAddressOfFile: Bool {
    address != nil || ticket.map { !$0.uploadURL.isLiteral } == true
  }
}
