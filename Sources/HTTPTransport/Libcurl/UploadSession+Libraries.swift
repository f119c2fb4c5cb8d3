import CCurl

extension UploadSession {
  /// libcurl and the libraries that it uses, with their versions: `libcurl/8.5.0 OpenSSL/3.0.13 …`.
  package static var libraries: String { String(cString: curl_version()) }
}
