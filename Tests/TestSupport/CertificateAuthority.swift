import Foundation

/// A certificate and its key, as PEM files.
public struct Certificate: Sendable {
  /// The path of the certificate.
  public let file: String
  /// The path of its key.
  public let key: String

  /// The pin of its public key, as OpenSSL and not our own code computes it.
  public func pin() throws -> String {
    let digest = try Tool.run(
      "sh",
      [
        "-c",
        "openssl x509 -in '\(file)' -noout -pubkey | openssl pkey -pubin -outform der"
          + " | openssl dgst -sha256 -binary | openssl base64 -A",
      ])
    return "sha256//\(digest)"
  }
}

/// An authority of a test's own that nobody trusts unless told to.
public final class CertificateAuthority: Sendable {
  private let folder: ScratchDirectory
  /// Its own certificate, which is what `ca_file` wants.
  public let root: Certificate

  private static let newKey = [
    "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
  ]

  /// An authority whose files live as long as it does.
  public init() throws {
    folder = try ScratchDirectory()
    root = Certificate(file: folder.path("ca.pem"), key: folder.path("ca.key"))
    try Tool.run(
      "openssl",
      ["req", "-x509", "-days", "2", "-subj", "/CN=hoist test authority"] + Self.newKey
        + ["-keyout", root.key, "-out", root.file])
  }

  /// A certificate for `name`, signed by the authority. One of 0 days has expired at once; newer versions of OpenSSL
  /// make none of -1 days.
  public func issue(_ name: String, days: Int = 2) throws -> Certificate {
    let made = Certificate(file: folder.path("\(name).pem"), key: folder.path("\(name).key"))
    let (request, names) = (folder.path("\(name).csr"), folder.path("\(name).ext"))
    try Tool.run(
      "openssl",
      ["req", "-subj", "/CN=\(name)"] + Self.newKey + ["-keyout", made.key, "-out", request])
    try folder.write("\(name).ext", Array("subjectAltName=DNS:\(name)\n".utf8))
    try Tool.run(
      "openssl",
      [
        "x509", "-req", "-in", request, "-CA", root.file, "-CAkey", root.key, "-extfile", names,
        "-days", "\(days)", "-out", made.file,
      ])
    return made
  }

  /// A certificate for `name` that nobody but itself has signed.
  public func selfSigned(_ name: String) throws -> Certificate {
    let made = Certificate(
      file: folder.path("\(name)-self.pem"), key: folder.path("\(name)-self.key"))
    try Tool.run(
      "openssl",
      ["req", "-x509", "-days", "2", "-subj", "/CN=\(name)", "-addext"]
        + ["subjectAltName=DNS:\(name)"] + Self.newKey + ["-keyout", made.key, "-out", made.file])
    return made
  }
}
