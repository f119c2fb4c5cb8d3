import COpenSSL
import Glibc

/// The fields by which a person recognises a certificate (RFC 5280 §4.1).
///
/// Only reads the fields; libcurl judges whether the certificate is valid.
package struct X509Certificate: Sendable {
  /// The holder: `CN=host, O=Company`, with special characters escaped as in RFC 2253.
  package let subject: String
  /// The issuer, in the same format.
  package let issuer: String
  /// The first moment at which it is valid, in UTC: `2026-11-20 23:35:55`.
  package let notBefore: String
  /// The last moment at which it is valid, in the same format.
  package let notAfter: String
  /// The DNS names and IP addresses that it is for (RFC 5280 §4.2.1.6).
  package let names: [String]
  /// The SubjectPublicKeyInfo in DER, of which a pin is the hash.
  package let publicKeyInfo: [UInt8]
  /// The whole certificate in DER.
  package let der: [UInt8]

  /// Reads the first certificate in a PEM text; nil if the text has no readable one.
  package init?(pem: String) {
    // A BIO that copies: `BIO_new_mem_buf` would keep a pointer into an array that Swift may release.
    guard let input = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(input) }
    let bytes = Array(pem.utf8)
    BIO_write(input, bytes, Int32(clamping: bytes.count))
    guard let certificate = PEM_read_bio_X509(input, nil, nil, nil) else { return nil }
    defer { X509_free(certificate) }
    subject = Self.name(X509_get_subject_name(certificate))
    issuer = Self.name(X509_get_issuer_name(certificate))
    notBefore = Self.time(X509_get0_notBefore(certificate))
    notAfter = Self.time(X509_get0_notAfter(certificate))
    names = Self.names(of: certificate)
    publicKeyInfo = Self.encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &$0) }
    der = Self.encoded { i2d_X509(certificate, &$0) }
  }

  private static func encoded(
    by encode: (inout UnsafeMutablePointer<UInt8>?) -> Int32
  ) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = encode(&bytes)
    defer { CRYPTO_free(bytes, nil, 0) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
  }

  private static func name(_ name: OpaquePointer?) -> String {
    guard X509_NAME_entry_count(name) > 0, let output = BIO_new(BIO_s_mem()) else {
      return "(no name)"
    }
    defer { BIO_free(output) }
    let escapes = ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT
    X509_NAME_print_ex(
      output, name, 0, UInt(escapes) | UInt(XN_FLAG_SEP_CPLUS_SPC) | UInt(XN_FLAG_FN_SN))
    var start: UnsafeMutablePointer<UInt8>?
    let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private static func time(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard ASN1_TIME_to_tm(time, &parts) == 1 else { return "(no time)" }
    return text(atMost: 32) { strftime($0, $1, "%Y-%m-%d %H:%M:%S", &parts) > 0 } ?? "(no time)"
  }

  private static func names(of certificate: OpaquePointer) -> [String] {
    let list = OpaquePointer(X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil))
    defer { GENERAL_NAMES_free(list) }
    return (0..<max(0, OPENSSL_sk_num(list))).compactMap { index in
      let name = OPENSSL_sk_value(list, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
      var kind: Int32 = 0
      guard let value = GENERAL_NAME_get0_value(name, &kind), [GEN_DNS, GEN_IPADD].contains(kind)
      else { return nil }
      let text = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = Array(
        UnsafeBufferPointer(
          start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
      return kind == GEN_DNS ? String(decoding: bytes, as: UTF8.self) : address(bytes)
    }
  }

  /// An IP address as text; nil if it has neither 4 nor 16 bytes.
  private static func address(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    return text(atMost: Int(INET6_ADDRSTRLEN)) {
      inet_ntop(family, bytes, $0, socklen_t($1)) != nil
    }
  }

  /// The text that a function of the C library writes; nil if it fails.
  private static func text(
    atMost size: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Bool
  ) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
      guard let start = buffer.baseAddress, write(start, size) else { return nil }
      return String(cString: start)
    }
  }
}
