import Foundation

/// The keys that sign each request to a target's own origin (AWS Signature Version 4). See ``SignatureV4``.
package struct SigV4Auth: Hashable, Sendable {
  /// Where the service runs, as AWS calls it.
  package var region: String
  /// The service, as AWS calls it in signatures.
  package var service: String
  /// The identifier of the access key.
  package var key: Template
  /// The secret access key, which is never sent.
  package var secret: Template
  /// The session token of keys that expire; nil for other keys.
  package var token: Template?

  package init(
    region: String, service: String = "s3", key: Template, secret: Template,
    token: Template? = nil
  ) {
    (self.region, self.service) = (region, service)
    (self.key, self.secret, self.token) = (key, secret, token)
  }

  /// Whether the service has S3's rules: it takes paths as they are and, over https, accepts a body that the signature
  /// does not cover.
  var isS3: Bool { ["s3", "s3-outposts", "s3-object-lambda"].contains(service) }

  /// Whether signatures of requests to this URL cover their bodies, so that the SHA-256 of a file is needed.
  func coversContent(at url: URL) -> Bool { !isS3 || url.scheme != "https" }

  /// The header fields that sign a request, with a placeholder for the signature. They are for previews, where nothing
  /// is signed.
  package var shownHeaders: [RequestHead.Header] {
    let signature = Template.Secret(name: "signature", value: "", source: .derived)
    return [
      RequestHead.Header(
        name: "Authorization",
        value: [.text("\(SignatureV4.algorithm) "), .secret(signature, written: "")])
    ] + tokenHeaders
  }

  /// The header field with the session token; empty if there is no token.
  var tokenHeaders: [RequestHead.Header] {
    guard let value = token?.stretches(with: .none) else { return [] }
    return [RequestHead.Header(name: "X-Amz-Security-Token", value: value)]
  }
}

extension Target {
  /// Why the target's requests could not be signed; nil if they can be.
  package var signatureConflict: String? {
    let bodies = [body, resume.pieces?.piece.body, resume.pieces?.last?.body]
    // The upload that a ticket permits usually goes to another server, where nothing is signed.
    guard signsContent, ticket == nil, bodies.contains(.multipart) else { return nil }
    let why = sigV4?.isS3 == true ? "over plain http, S3" : sigV4?.service ?? ""
    return
      "\(why) wants the SHA-256 of the request's body, which is not known for a form; use body = \"binary\""
  }

  /// Whether requests must state the SHA-256 of the part of a file that they carry.
  package var signsContent: Bool { sigV4?.coversContent(at: url) == true }
}
