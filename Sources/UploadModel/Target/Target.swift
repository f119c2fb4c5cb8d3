import Foundation

/// Where files go and how: everything that the engine needs to know about one endpoint, validated.
package struct Target: Hashable, Sendable {
  /// The name in the configuration, or the URL if the target has no name.
  package var name: String
  /// The endpoint: an `http` or `https` URL with a host.
  package var url: URL { didSet { origin = Origin(url) } }
  /// The endpoint's origin. It is stored because parsing a URL is slow and the origin is needed for each file.
  package private(set) var origin: Origin?
  /// The HTTP method, in upper case.
  package var method = "POST"
  /// The form field that carries the file. Its placeholders are filled in for each file of a request.
  package var fileField = Template(literal: "file")
  /// Form fields that go before the file, in this order.
  package var fields: [Field] = []
  /// Query items that are added to the URL, in this order.
  package var query: [Field] = []
  package var headers: [Field] = []
  /// How many files are sent at once.
  package var concurrency = Concurrency.automatic
  /// The bandwidth limit for all simultaneous uploads together, in bytes per second; nil for no limit.
  package var rateLimit: Int64?
  package var retry = RetryPolicy()
  /// Seconds without a byte in either direction after which an attempt is given up.
  package var stallTimeout = 60.0
  /// The time that a file may take in all, in seconds from its first attempt; nil for no limit.
  package var deadline: Double?
  /// Origins besides the target's own to which a redirect (307 or 308) may lead.
  package var redirectOrigins: Set<Origin> = []
  /// How files share a request; nil if each has a request of its own.
  package var batch: BatchRule?
  /// The command that gives the bearer token for this target's own origin, if any.
  package var tokenCommand: TokenCommand?
  /// The credentials that answer digest challenges of this target's own origin, if any.
  package var digest: DigestAuth?
  /// The keys that sign requests to this target's own origin, if any.
  package var sigV4: SigV4Auth?
  /// The TLS rules for this target's own origin.
  package var tls = TLSRules()
  /// The version of HTTP for this target's own origin.
  package var http = HTTPVersion.auto
  /// Whether each request gets a connection of its own, for servers that cannot keep one open.
  package var closesConnections = false
  package var body = Body.multipart
  /// The digests and HMACs that `{value.…}` stands for.
  package var values: [DerivedValue] = []
  /// The whole address, if it has placeholders; `url` is then the part before them.
  package var address: Template?
  /// The file's name as sent; nil for the file's own name.
  package var fileName: Template?
  /// The files that go with each file in its request.
  package var companions: [CompanionRule] = []
  /// The media type that every file is sent with; nil for each file's own.
  package var fileType: String?
  /// Header fields for whichever server takes the file. They are not secret.
  package var publicHeaders: [Field] = []
  /// What is done with a file whose name is taken on the server; nil if the server is not asked.
  package var ifThere: IfThere?
  /// Whether two files may have the same name in one request, or be sent to the same address.
  package var takesSameNames = false
  @Boxed package var resume = ResumeRules()
  /// How folders that are missing on the server are made; nil if they are not.
  @Boxed package var folders: FolderRule?
  package var limits = UploadLimits()
  @Boxed package var response = ReplyRules()
  package var prepare: PrepareCommand?
  @Boxed package var exists: ExistenceCheck?
  @Boxed package var wait: WaitRule?
  /// The request before another attempt that removes what an attempt that broke off may have left on the server.
  @Boxed package var beforeRetry: Call?
  @Boxed package var ticket: Ticket?
  @Boxed package var run = RunRules()
  package var after = AfterRule()
  @Boxed package var server = ServerSide()
  /// The proxy that the environment names for this target's own origin, as host and port.
  package var proxy: String?
  /// Secrets that are sent only in another form, such as the password in Basic credentials.
  package var ingredients: [String] = []

  /// A target with the defaults that config/config.toml shows.
  package init(name: String, url: URL) {
    (self.name, self.url, origin) = (name, url, Origin(url))
  }

  /// The proxy on the way to a URL, as far as it is known.
  package func proxy(for url: URL) -> String? { Origin(url) == origin ? proxy : nil }

  /// Whether requests to an origin would go in clear, although those to the target do not.
  package func isDowngrade(_ other: Origin) -> Bool {
    origin?.scheme == "https" && other.scheme != "https"
  }

  /// Whether its requests ask for replies in JSON (`Accept`).
  var asksForJSON: Bool { headers.askForJSON || publicHeaders.askForJSON }

  /// Replaces the form fields of the same name by this one, which takes the first one's type if it has none of its own.
  /// If there are no such fields, appends it.
  package mutating func setField(_ field: Field) {
    guard let place = fields.firstIndex(where: { $0.name == field.name }) else {
      return fields.append(field)
    }
    var field = field
    field.type = field.type ?? fields[place].type
    fields.removeAll { $0.name == field.name }
    fields.insert(field, at: place)
  }

  /// How the request carries the file.
  package enum Body: String, Hashable, Sendable, CaseIterable {
    /// As a part of a form (RFC 7578).
    case multipart
    /// As the whole body.
    case binary
  }

  /// A name and its value: a form field, a query item or a header field.
  package struct Field: Hashable, Sendable {
    /// The name as sent.
    package var name: String
    /// The value, with placeholders that are filled in for each file.
    package var value: Template
    /// The part's media type; form fields only.
    package var type: String?

    package init(name: String, value: Template, type: String? = nil) {
      (self.name, self.value, self.type) = (name, value, type)
    }
  }
}

extension Sequence<Target.Field> {
  /// Whether these header fields ask for a reply in JSON (`Accept`).
  package var askForJSON: Bool {
    contains { field in
      field.name.lowercased() == "accept"
        && field.value.fixedText.lowercased().contains(scalars: "json")
    }
  }
}

/// A user name and a password to answer a server's challenge with (RFC 7616).
package struct DigestAuth: Hashable, Sendable {
  package var user: Template
  package var password: Template

  package init(user: Template, password: Template) {
    (self.user, self.password) = (user, password)
  }
}

/// The version of HTTP for a target (RFC 9112, RFC 9113).
package enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  /// The version that is faster for uploads: HTTP/1.1, which over TLS takes 1.5 s for a gibibyte where HTTP/2
  /// takes 2.6 s.
  case auto
  case http1 = "1.1"
  /// HTTP/2 if the server speaks it, otherwise HTTP/1.1; `https` only.
  case http2 = "2"
}

/// A command that converts the file before it is sent. It runs without a shell.
package struct PrepareCommand: Hashable, Sendable {
  /// The program and its arguments.
  package var words: [Template]
  /// Seconds after which the command is terminated.
  package var timeout: Double

  package init(words: [Template], timeout: Double = 60) {
    (self.words, self.timeout) = (words, timeout)
  }
}
