import CCurl

extension UploadSession {
  /// libcurl and the libraries that carry its requests, with their versions: `libcurl/8.5.0 OpenSSL/3.0.13 …`.
  ///
  /// Avoids `curl_version`, which takes 10% of the start-up time, since it sets up LDAP and loads SASL's plug-ins to
  /// get their versions.
  package static var libraries: String {
    guard let known = curl_version_info(CURLVERSION_SEVENTH)?.pointee else { return "libcurl" }
    let named: [(prefix: String, version: UnsafePointer<CChar>?)] = [
      ("libcurl/", known.version), ("", known.ssl_version), ("nghttp2/", known.nghttp2_version),
    ]
    return named.compactMap { entry in
      entry.version.map { entry.prefix + String(cString: $0) }
    }.joined(separator: " ")
  }
}
