import ScalarText

/// What a file has in common with another one of the same session, so that one of them would overwrite the other.
///
/// An item keeps it, and a retry is refused too: by then the other file has arrived.
package enum Clash: Hashable, Sendable {
  /// The address that both go to, without secrets.
  case address(String)
  /// The name of both in the same request.
  case name(String)
}

extension Clash: RawRepresentable, Codable {
  /// How it is stored: "address http://nas/a.txt", "name a.txt".
  package var rawValue: String {
    switch self {
    case .address(let address): "address \(address)"
    case .name(let name): "name \(name)"
    }
  }

  package init?(rawValue: String) {
    if let address = rawValue.removingPrefix(scalars: "address ") {
      self = .address(address)
    } else if let name = rawValue.removingPrefix(scalars: "name ") {
      self = .name(name)
    } else {
      return nil
    }
  }
}
