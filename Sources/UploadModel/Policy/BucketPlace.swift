import ScalarText

extension TransferEnd {
  /// Where S3 says that a bucket is, if it does not say that by a `Location`: the endpoint, the region or both. Nil if it
  /// does not say it at all.
  var bucketPlace: String? {
    guard headers["location"]?.trimming(\.isWhiteSpace).isEmpty != false else { return nil }
    let region = headers["x-amz-bucket-region"] ?? reply.element("Region")
    let places = [reply.element("Endpoint"), region.map { "the region \($0)" }].compactMap(\.self)
    return places.isEmpty ? nil : places.joined(separator: " in ")
  }
}

extension Reply {
  /// The region in which S3 says that a bucket is, if it refuses a signature for another one.
  var bucketRegion: String? {
    element("Code") == "AuthorizationHeaderMalformed" ? element("Region") : nil
  }

  /// The text of the first element of this name in a short reply in XML; nil if it is missing or long.
  fileprivate func element(_ name: String) -> String? {
    guard text.unicodeScalars.first(where: { !$0.isWhiteSpace }) == "<",
      let start = text.range(scalars: "<\(name)>")?.upperBound,
      let end = text[start...].range(scalars: "</\(name)>")?.lowerBound
    else { return nil }
    let words = SafeText.line(text[start..<end].trimming(\.isWhiteSpace))
    return words.isEmpty || words.unicodeScalars.count > 253 ? nil : words
  }
}
