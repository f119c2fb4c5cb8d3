import NIOHTTP1
import ScalarText

/// Checks which host a request is meant for and which page made it, so that another site's page cannot use a visitor's
/// browser to send files here or to read those that have arrived.
struct RequestHost: Sendable {
  /// The names by which clients reach the receiver.
  private let names: Set<String>
  /// The origin of the receiver's public URL.
  private let publicOrigin: Origin?

  init(_ configuration: UploadReceiver.Configuration) {
    publicOrigin = configuration.publicURL.flatMap(Self.origin)
    let texts = configuration.names + [configuration.host, "localhost"]
    let hosts = texts.map { (Authority($0) ?? Authority("[\($0)]"))?.host }
    names = Set((hosts + [publicOrigin?.host]).compactMap(\.self))
  }

  /// Checks that the request is for this receiver.
  ///
  /// Attackers can point a name of their own at the receiver (DNS rebinding). To a browser, their page is then from the
  /// same site, but the request still has their name in `Host`. `Host` has an IP address only if the user opened the
  /// page by that address, so any address is accepted, even one that a router translates.
  ///
  /// - Throws: 400 if `Host` is missing, occurs twice or is not a host (RFC 9112, section 3.2), 421 if it names
  ///   another host (RFC 9110, section 15.5.20).
  func check(_ head: HTTPRequestHead) throws(Refusal) {
    let hosts = head.headers["host"]
    guard hosts.count < 2 else { throw Refusal(.badRequest, "The request has more than one Host.") }
    guard !hosts.isEmpty || head.version == .http1_0 else {
      throw Refusal(.badRequest, "The request has no Host header.")
    }
    for text in hosts + (Self.split(head.uri).map { [$0.authority] } ?? []) {
      guard let authority = Authority(text.trimming(\.isBlank)) else {
        throw Refusal(.badRequest, "The request's Host is not a valid host name or address.")
      }
      // `.localhost` always means the client's own machine: nobody can make it point elsewhere (RFC 6761, section 6.3).
      let isLocal = authority.host.hasSuffix(scalars: ".localhost")
      guard authority.isAddress || isLocal || names.contains(authority.host) else {
        throw Refusal(
          .misdirectedRequest,
          "This receiver does not answer to the name \(authority.host). Use its IP address.")
      }
    }
  }

  /// Refuses requests that a page of another site made a browser send. Browsers say where a request comes from: in
  /// `Sec-Fetch-Site` on connections that they trust (Fetch Metadata Request Headers, section 2.3), and in `Origin`
  /// with every method but GET and HEAD (Fetch, section 3.2). Other clients send neither.
  func refuseOtherSites(_ head: HTTPRequestHead) throws(Refusal) {
    if head.method == .GET || head.method == .HEAD { return }
    switch head.headers["sec-fetch-site"].first?.lowercasedASCII {
    // Sent by a page to its own origin, even if a proxy has rewritten the host, or by no page at all.
    case "same-origin"?, "none"?: return
    case "cross-site"?: throw Self.otherSite
    default: break
    }
    let origins = head.headers["origin"]
    guard let text = origins.first else { return }
    guard origins.count == 1, let origin = Self.origin(text) else { throw Self.otherSite }
    if let publicOrigin, origin == publicOrigin { return }
    // A proxy may terminate TLS, so the page's scheme is assumed to be ours.
    guard let own = head.headers["host"].first.flatMap({ Authority($0.trimming(\.isBlank)) }),
      origin == Self.origin(origin.scheme, own)
    else { throw Self.otherSite }
  }

  private static let otherSite = Refusal(
    .forbidden, "A page of another site may not send files here.")

  private typealias Origin = (scheme: String, host: String, port: Int)

  private static func origin(_ scheme: String, _ authority: Authority) -> Origin {
    (scheme, authority.host, authority.port ?? (scheme == "https" ? 443 : 80))
  }

  /// The origin of a URL without user and password.
  private static func origin(_ url: String) -> Origin? {
    guard let (text, _) = split(url), let authority = Authority(text) else { return nil }
    return origin(url.lowercasedASCII.hasPrefix(scalars: "https:") ? "https" : "http", authority)
  }

  /// Splits what follows the scheme of an absolute HTTP URL into authority and path; nil for any other text (RFC 9112,
  /// section 3.2.2).
  static func split(_ url: String) -> (authority: String, path: String)? {
    let lower = url.lowercasedASCII
    let isSecure = lower.hasPrefix(scalars: "https://")
    guard isSecure || lower.hasPrefix(scalars: "http://") else { return nil }
    let rest = url.utf8.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    return (
      String(decoding: authority, as: UTF8.self),
      String(decoding: rest[authority.endIndex...], as: UTF8.self)
    )
  }
}
