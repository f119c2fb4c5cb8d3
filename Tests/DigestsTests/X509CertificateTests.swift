import Digests
import Foundation
import Testing

@Suite("X.509 certificates")
struct X509CertificateTests {
  /// Made by openssl(1), with the subject "/CN=host.test, O=Bank/O=Bücher".
  private let pem = """
    -----BEGIN CERTIFICATE-----
    MIIB7TCCAZOgAwIBAgIUO9kU7I4n4xfz0xriYck/Ixdtd9cwCgYIKoZIzj0EAwIw
    LjEaMBgGA1UEAwwRaG9zdC50ZXN0LCBPPUJhbmsxEDAOBgNVBAoMB0LDvGNoZXIw
    IBcNMjYxMTI2MjIzNjAwWhgPMjEyNjExMDIyMjM2MDBaMC4xGjAYBgNVBAMMEWhv
    c3QudGVzdCwgTz1CYW5rMRAwDgYDVQQKDAdCw7xjaGVyMFkwEwYHKoZIzj0CAQYI
    KoZIzj0DAQcDQgAEFRvZ4hmGEh7Keb4XHAv1Wbp5TmLBgZUKCDWYQ1YVy2/QGATx
    Xq9vuACT1kdkDkMJcTzIWzc+nzHJCOLZu0y0GqOBjDCBiTAdBgNVHQ4EFgQUQ/2v
    Nwvgj85Qwv1dgJwO/kDrAtkwHwYDVR0jBBgwFoAUQ/2vNwvgj85Qwv1dgJwO/kDr
    AtkwDwYDVR0TAQH/BAUwAwEB/zA2BgNVHREELzAtgglob3N0LnRlc3SHBAoAAAGH
    ECABDbgAAAAAAAAAAAAAAAGGCGh0dHA6Ly94MAoGCCqGSM49BAMCA0gAMEUCIQDi
    F2t9licgRlXbPoIjZVtNJo4KsCPqjhcDZDdWiU/HygIgIkBTx1quCP4zdJ80F8sQ
    mq3yy4IzD8UIU3anDU5AsWk=
    -----END CERTIFICATE-----
    """

  /// A holder cannot pass for another one by a comma in its name.
  @Test("show a person what OpenSSL says of them")
  func fields() throws {
    let certificate = try #require(X509Certificate(pem: pem))
    #expect(certificate.subject == #"CN=host.test\, O=Bank, O=Bücher"#)
    #expect(certificate.issuer == certificate.subject)
    #expect(certificate.notBefore == "2026-11-26 22:36:00")
    #expect(certificate.notAfter == "2126-11-02 22:36:00")
    #expect(certificate.names == ["host.test", "10.0.0.1", "2001:db8::1"])
    let pin = Data(SHA256.hash(certificate.publicKeyInfo)).base64EncodedString()
    #expect(pin == "pvfVgUu/EBLzvlmp5UTBcOMk+IfDier+iZC7kbgRmWo=")
    #expect(
      Data(base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined())
        == Data(certificate.der))
  }

  @Test("are nothing else, and nothing cut off")
  func unreadable() {
    #expect(X509Certificate(pem: "") == nil)
    #expect(X509Certificate(pem: "hello\n") == nil)
    #expect(X509Certificate(pem: String(pem.prefix(300))) == nil)
  }
}
