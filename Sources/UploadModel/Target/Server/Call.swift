/// A request that a target's configuration describes, such as the one for a ticket or the one that begins an upload in
/// pieces. Its placeholders are filled in each time it is sent (`ResumeRequest`).
package struct Call: Hashable, Sendable {
  /// The HTTP method, in upper case.
  package var method: String
  package var address: Address
  /// Query items that are added to the address, in this order.
  package var query: [Target.Field] = []
  /// Header fields besides the target's own.
  package var headers: [Target.Field] = []
  /// The body as a template for JSON; nil for none.
  package var json: Template?
  /// The body as an `application/x-www-form-urlencoded` form; empty for none.
  package var form: [Target.Field] = []
  /// The body as any other text; nil for none.
  package var text: Template?
  /// The media type of the body; nil for the one that goes with this kind of body.
  package var type: String?
  /// How the request carries a piece, if it carries one.
  package var body = Target.Body.binary
  /// How its reply is judged.
  package var rules = ReplyRules()
  /// The values to keep from its reply.
  package var values: [Value] = []
  /// Where its reply says how many bytes of the file the server has; nil if it does not say so.
  package var offset: Offset?

  /// Where a request goes.
  package enum Address: Hashable, Sendable {
    /// To the address that the requests of an upload in pieces share, with this text appended.
    case base(Template)
    /// To an address of its own.
    case own(Template)
    /// To an address that a reply gives.
    case reply(Template)

    package var template: Template {
      switch self {
      case .base(let text), .own(let text), .reply(let text): text
      }
    }
  }

  /// A value to keep from a reply.
  package struct Value: Hashable, Sendable {
    package var name: String
    package var place: ReplyValue

    package init(name: String, place: ReplyValue) { (self.name, self.place) = (name, place) }
  }

  /// Where a reply says how much of the file the server has.
  package struct Offset: Hashable, Sendable {
    package var place: ReplyPlace
    /// Finds the number in the text at `place`; nil if that text is just the number.
    package var pattern: Pattern?
    /// Added to the number, such as 1 if the number is the position of the last byte.
    package var plus: Int64 = 0
    /// What it means if the number is missing.
    package var missing = Missing.failure

    /// What a reply without the number means.
    package enum Missing: String, Hashable, Sendable, CaseIterable {
      /// The reply is invalid.
      case failure = "fail"
      /// The server has nothing.
      case nothing = "0"
      /// The server has as many bytes as hoist expects it to have.
      case known
    }

    package init(_ place: ReplyPlace) { self.place = place }

    /// How many bytes of the file the server has according to this reply, if hoist expects it to have `known` of them.
    package func value(in end: TransferEnd, known: Int64) throws(ResumeFault) -> Int64 {
      var text = ReplyValue(place).text(in: end)
      if let pattern { text = text.flatMap { pattern.value(in: $0) } }
      guard let text else {
        switch missing {
        case .failure: throw .noOffset
        case .nothing: return 0
        case .known: return known
        }
      }
      guard let number = Int64(text), number >= 0, number < .max - plus else { throw .noOffset }
      return number + plus
    }
  }

  /// A request to the address that the requests of an upload in pieces share.
  package init(method: String, rules: ReplyRules = ReplyRules()) {
    (self.method, self.rules) = (method, rules)
    address = .base(Template(literal: ""))
  }

  /// A request to an address of its own.
  package init(url: Template, method: String = "GET", json: Template? = nil) {
    (self.method, self.json) = (method, json)
    address = .own(url)
  }

  /// Whether it asks a WebDAV server what is in a folder, rather than for JSON.
  package var isListing: Bool { method == "PROPFIND" }

  /// The same call with what belongs to such a question (RFC 4918 §9.1).
  package var completed: Call {
    guard isListing else { return self }
    var call = self
    call.headers.append(Target.Field(name: "Depth", value: Template(literal: "1")))
    (call.text, call.type) = (Template(literal: MultiStatus.request), "application/xml")
    return call
  }

  /// The media type of its body; nil if it has neither a `type` nor a body besides a piece.
  var contentType: String? {
    if let type { return type }
    if json != nil { return "application/json" }
    if text != nil { return "text/plain; charset=utf-8" }
    return form.isEmpty ? nil : "application/x-www-form-urlencoded"
  }

  /// All of its templates.
  package var templates: [Template] { ownTemplates + headers.map(\.value) }

  /// Its templates outside header fields.
  private var ownTemplates: [Template] {
    [address.template] + [json, text].compactMap(\.self) + (query + form).map(\.value)
  }

  /// Whether the offset of the piece's last byte is part of its address or its body.
  var saysEnd: Bool {
    ownTemplates.contains { $0.slots.contains { $0.placeholder == .pieceEnd } }
  }
}

extension [Call.Value] {
  /// The values in a reply by name, or the error that names the first one that is missing.
  package func found(in end: TransferEnd) -> Result<[String: String], InvalidInput> {
    var values: [String: String] = [:]
    for value in self {
      // A relative `Location` is relative to the URL that the reply came from.
      let isLocation = value.place == ReplyValue(.header("location"))
      let found = isLocation ? end.location?.absoluteString : value.place.text(in: end)
      guard let text = found, !text.isEmpty else {
        return .failure(
          InvalidInput("its answer has no \(value.place.words), which \(value.name) is read from"))
      }
      values[value.name] = text
    }
    return .success(values)
  }
}
