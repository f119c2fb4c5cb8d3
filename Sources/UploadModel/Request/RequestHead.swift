import Foundation
import ScalarText

/// The beginning of a request to a target's server: method, address and header fields, with every secret marked
/// as one.
public struct RequestHead: Hashable, Sendable {
  /// A text in which secrets are marked.
  public typealias Text = [Template.Filled]

  /// A header field.
  public struct Header: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Text
    /// Whether hoist adds it to every request, whatever the target says.
    public var isDefault = false
  }

  /// What the server is told about who we are.
  public enum Credentials: Hashable, Sendable {
    /// The target's own header fields, and the bearer token that a command gave.
    case all(token: Template.Secret?)
    /// Nothing: it is another origin.
    case none
  }

  /// The HTTP method, in upper case.
  public let method: String
  /// Where it goes; nil where only a ticket tells.
  public let address: Text?
  /// The header fields but those that depend on how the content is encoded, in the order in which they are
  /// sent.
  public private(set) var headers: [Header]

  /// The beginning of a small request to a target's server: for a ticket, a list, a deletion.
  ///
  /// - Throws: why such a request cannot be sent.
  public init(
    _ call: ServerCall, of target: Target, credentials: Credentials, values: Template.Values
  ) throws(Failure.Cause) {
    self.init(
      method: call.method, address: call.url.stretches(with: values), accept: "application/json")
    if call.json != nil { set("Content-Type", "application/json") }
    try add(credentials, of: target, values)
  }

  init(method: String, address: Text?, accept: String) {
    self.method = method
    self.address = address
    headers = [
      Header(name: "User-Agent", value: [.text(UserAgent.text)], isDefault: true),
      Header(name: "Accept", value: [.text(accept)], isDefault: true),
    ]
  }

  /// Adds the header fields of a target, where the server may know them.
  mutating func add(
    _ credentials: Credentials, of target: Target, _ values: Template.Values
  ) throws(Failure.Cause) {
    // Another origin is given no header field of the target: that is where credentials are.
    guard case .all(let token) = credentials else { return }
    for field in target.headers where !Self.belongsToTransport(field.name) {
      let value = field.value.stretches(with: values)
      // A file's name may hold a line break, and so begin a header field of its own.
      guard !value.written.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
        throw .unsendable("the header field \(field.name) would hold a control character")
      }
      set(Header(name: field.name, value: value))
    }
    if let token {
      let value: Text = [.text("Bearer "), .secret(token, written: token.value)]
      set(Header(name: "Authorization", value: value))
    }
  }

  /// Puts a header field in the place of those with its name.
  mutating func set(_ name: String, _ value: String) {
    set(Header(name: name, value: [.text(value)]))
  }

  private mutating func set(_ header: Header) {
    remove(header.name)
    headers.append(header)
  }

  /// Leaves the header fields of this name out.
  mutating func remove(_ name: String) {
    headers.removeAll { $0.name.lowercased() == name.lowercased() }
  }

  /// Whether only the transport writes a header field, whatever a target says.
  private static func belongsToTransport(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "expect"].contains(name.lowercased())
  }
}

extension Target {
  /// Stands for the token of the target's command, which is not run for what is only shown.
  public var tokenPlaceholder: Template.Secret? {
    tokenCommand == nil ? nil : Template.Secret(name: "TOKEN", value: "", source: .derived)
  }
}
