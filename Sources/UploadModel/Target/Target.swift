import Foundation
import JSONText

/// Where files go and how: everything that the engine needs to know about one endpoint, validated.
public struct Target: Hashable, Sendable {
  /// The name that the configuration gives it, or the URL where it has none.
  public var name: String
  /// The endpoint. `http` or `https`, with a host.
  public var url: URL { didSet { origin = Origin(url) } }
  /// Where the endpoint is. Taking a URL apart is slow, and this is asked for each file.
  public private(set) var origin: Origin?
  /// The HTTP method, in upper case.
  public var method = "POST"
  /// The form field that carries the file; each file of a request has values of its own.
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
  /// Several files in one request; nil where each file is a request of its own.
  public var batch: BatchRule?
  /// What gives the bearer token that is sent to this target's own origin, if anything does.
  public var tokenCommand: TokenCommand?
  /// With what challenges of this target's own origin are answered, if they are.
  public var digest: DigestAuth?
  /// What makes connections to this target's own origin secure.
  public var tls = TLSRules()
  /// The version of HTTP that is spoken with this target's own origin.
  public var http = HTTPVersion.auto
  /// Whether each request goes over a connection of its own, for servers that cannot keep one.
  public var closesConnections = false
  /// How the file stands in the request.
  public var body = Body.multipart
  /// The whole address where it holds placeholders; `url` is then what comes before them.
  public var address: Template?
  /// The file's name as sent; nil for its own.
  public var fileName: Template?
  /// The media type that the server is told of every file; nil for each one's own.
  public var fileType: String?
  /// Header fields that every server is sent that takes the file: they are no secrets.
  public var publicHeaders: [Field] = []
  /// What the ticket said that a request goes with.
  public var ticketReply: JSONValue?
  /// Whether two files may have the same name in one request, or the same address of their own.
  public var takesSameNames = false
  /// Whether and how an upload goes on where it was broken off.
  public var resume = ResumeRules()
  /// What is taken at all.
  public var limits = UploadLimits()
  /// How replies are read.
  public var response = ReplyRules()
  /// Makes the file that is sent.
  public var prepare: PrepareCommand?
  /// Asks for leave first.
  public var ticket: Ticket?
  /// What can be done with what is there already.
  public var server = ServerSide()
  /// The proxy that the environment names for this target's own origin, as host and port.
  public var proxy: String?
  /// Secrets that are sent in another form only, such as the password inside of Basic credentials.
  public var ingredients: [String] = []

  /// A target with the defaults that config/config.toml shows.
  public init(name: String, url: URL) {
    self.name = name
    self.url = url
    origin = Origin(url)
  }

  /// The proxy that stands between us and a URL, as far as it is known.
  public func proxy(for url: URL) -> String? { Origin(url) == origin ? proxy : nil }

  /// Puts a form field in the place of those of its name, with their type, or behind all others.
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
    /// By itself.
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
