/// The head of a request to a target's server: method, address and header fields, in which every secret is marked.
package struct RequestHead: Hashable, Sendable {
  /// A text in which secrets are marked.
  package typealias Text = [Template.Filled]

  /// A header field.
  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: Text
    /// Whether hoist itself adds the field to every request.
    var isDefault = false

    /// Whether this is its name, in upper or lower case.
    func isNamed(_ other: String) -> Bool {
      name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
    }
  }

  /// The credentials that a request carries.
  package enum Credentials: Hashable, Sendable {
    /// The target's own header fields, and the bearer token that a command gave.
    case all(token: Template.Secret?)
    /// None, since the request goes to another origin.
    case none
  }

  /// In upper case.
  package let method: String
  /// Where the request goes; nil if only a ticket can tell.
  package let address: Text?
  /// The header fields in the order in which they are sent, except those that depend on how the content is
  /// encoded.
  package private(set) var headers: [Header]

  init(method: String, address: Text?, accept: String) {
    self.method = method
    self.address = address
    headers = [
      Header(name: "User-Agent", value: [.text(UserAgent.text)], isDefault: true),
      Header(name: "Accept", value: [.text(accept)], isDefault: true),
    ]
  }

  /// Adds the header fields of a target and of the occasion that the server may see.
  mutating func add(
    _ credentials: Credentials, of plan: SendPlan, on occasion: Occasion, _ values: Template.Values
  ) throws(Failure.Cause) {
    if plan.target.closesConnections { set("Connection", "close") }
    // Another origin gets only the public header fields, since the other fields may contain credentials.
    if case .all(let token) = credentials {
      try add(plan.headers, values)
      if let token {
        let value: Text = [.text("Bearer "), .secret(token, written: token.value)]
        set(Header(name: "Authorization", value: value))
      }
    }
    try add(plan.publicHeaders, values)
    try add(occasion.headers.compactMap(HeaderLine.init), values)
  }

  private mutating func add(
    _ lines: [HeaderLine], _ values: Template.Values
  ) throws(Failure.Cause) {
    for line in lines {
      switch line {
      case .fixed(let header): set(header)
      // The request that fetches the value goes without it, like those outside a run.
      case .template(_, isOfRun: true) where values.opened == nil: continue
      case .template(let field, isOfRun: _):
        if let header = try field.header(with: values) { set(header) }
      }
    }
  }

  /// Sets a header field, replacing any with the same name.
  package mutating func set(_ name: String, _ value: String) {
    set(Header(name: name, value: [.text(value)]))
  }

  private mutating func set(_ header: Header) {
    remove(header.name)
    headers.append(header)
  }

  /// Sets header fields, replacing any with the same names.
  package mutating func add(_ fields: [Header]) { for field in fields { set(field) } }

  package func has(_ name: String) -> Bool {
    headers.contains { $0.isNamed(name) }
  }

  /// The value of a header field in a form that may be shown; nil if there is no such field.
  func shown(_ name: String) -> String? {
    headers.first { $0.isNamed(name) }?.value.shown
  }

  mutating func remove(_ name: String) {
    headers.removeAll { $0.isNamed(name) }
  }
}

extension Target {
  /// A placeholder for the token in previews, for which the target's command is not run.
  package var tokenPlaceholder: Template.Secret? {
    tokenCommand == nil ? nil : Template.Secret(name: "TOKEN", value: "", source: .derived)
  }
}

/// How the program identifies itself to servers.
package enum UserAgent {
  package static let version = "0.1.0"
  /// The value of the header field (RFC 9110 §10.1.5).
  static let text = "hoist/\(version)"
}
