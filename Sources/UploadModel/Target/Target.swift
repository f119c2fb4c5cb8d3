import Foundation
import JSONText

/// Where files go and how: everything that the engine needs to know about one endpoint, validated.
public struct Target: Hashable, Sendable {
  /// The name in the configuration, or the URL if it has none.
  public var name: String
  /// The endpoint. `http` or `https`, with a host.
  public var url: URL { didSet { origin = Origin(url) } }
  /// The endpoint's origin. Parsing a URL is slow, and this is needed for each file.
  public private(set) var origin: Origin?
  /// The HTTP method, in upper case.
  public var method = "POST"
  /// The form field that carries the file, with values of its own for each file of a request.
  public var fileField = Template(literal: "file")
  /// Form fields that go before the file, in this order.
  public var fields: [Field] = []
  /// Query items that are added to the URL, in this order.
  public var query: [Field] = []
  /// Header fields that are added to the request.
  public var headers: [Field] = []
  /// How many files are sent at once.
  public var concurrency = 4
  /// The bandwidth limit for all lanes together, in bytes a second; nil for none.
  public var rateLimit: Int64?
  /// When and how often a failed attempt is repeated.
  public var retry = RetryPolicy()
  /// Seconds without a byte in either direction after which an attempt is given up.
  public var stallTimeout = 60.0
  /// The time that a file may take in all, in seconds from its first attempt; nil for no limit.
  public var deadline: Double?
  /// Origins besides the target's own to which a 307 or 308 may lead.
  public var redirectOrigins: Set<Origin> = []
  /// How files share a request; nil if each has a request of its own.
  public var batch: BatchRule?
  /// The command that gives the bearer token for this target's own origin, if any.
  public var tokenCommand: TokenCommand?
  /// The credentials that answer digest challenges of this target's own origin, if any.
  public var digest: DigestAuth?
  /// What makes connections to this target's own origin secure.
  public var tls = TLSRules()
  /// The version of HTTP for this target's own origin.
  public var http = HTTPVersion.auto
  /// Whether each request gets a connection of its own, for servers that cannot keep one open.
  public var closesConnections = false
  /// How the file stands in the request.
  public var body = Body.multipart
  /// The whole address, if it has placeholders; `url` is then the part before them.
  public var address: Template?
  /// The file's name as sent; nil for its own.
  public var fileName: Template?
  /// The media type that the server is told for every file; nil for each file's own.
  public var fileType: String?
  /// Header fields for whichever server takes the file. They are not secret.
  public var publicHeaders: [Field] = []
  /// The reply to the request for the ticket.
  public var ticketReply: JSONValue?
  /// Whether two files may have the same name in one request, or the same address of their own.
  public var takesSameNames = false
  /// Whether and how uploads resume.
  public var resume = ResumeRules()
  /// Which files it takes at all.
  public var limits = UploadLimits()
  /// How replies are read.
  public var response = ReplyRules()
  /// The command that makes the file to send.
  public var prepare: PrepareCommand?
  /// The request for permission that comes first.
  public var ticket: Ticket?
  /// What can be done with what is already there.
  public var server = ServerSide()
  /// The proxy that the environment names for this target's own origin, as host and port.
  public var proxy: String?
  /// Secrets that are sent only in another form, such as the password in Basic credentials.
  public var ingredients: [String] = []

  /// A target with the defaults that config/config.toml shows.
  public init(name: String, url: URL) {
    self.name = name
    self.url = url
    origin = Origin(url)
  }

  /// The proxy on the way to a URL, as far as it is known.
  public func proxy(for url: URL) -> String? { Origin(url) == origin ? proxy : nil }

  /// Sets a form field in place of those with its name, keeping their type, or after all others.
  public mutating func setField(_ field: Field) {
    guard let place = fields.firstIndex(where: { $0.name == field.name }) else {
      return fields.append(field)
    }
    var field = field
    field.type = field.type ?? fields[place].type
    fields.removeAll { $0.name == field.name }
    fields.insert(field, at: place)
  }

  /// How the file stands in the request.
  public enum Body: String, Hashable, Sendable, CaseIterable {
    /// As a part of a form (RFC 7578).
    case multipart
    /// As a bare file.
    case binary
  }

  /// A name and its value: a form field, a query item or a header field.
  public struct Field: Hashable, Sendable {
    /// The name as sent.
    public var name: String
    /// The value, with placeholders that are filled in for each file.
    public var value: Template
    /// The part's media type; form fields only.
    public var type: String?

    /// A field with this value.
    public init(name: String, value: Template, type: String? = nil) {
      self.name = name
      self.value = value
      self.type = type
    }
  }
}
