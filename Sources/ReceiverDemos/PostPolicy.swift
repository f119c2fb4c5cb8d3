import Digests
import Foundation
import JSONText
import Receiver
import ScalarText

/// An Amazon S3 POST policy with a version 4 signature: what a form may contain, when the permission expires, and who
/// grants it (Amazon S3 API Reference, "Browser-based uploads using POST").
struct PostPolicy {
  /// The credentials that sign policies.
  struct Signer: Sendable {
    var accessKey = "HOIST"
    var secretKey: String
    /// The region. Any name works here.
    var region = "us-east-1"

    /// The signature of a policy for a day, such as "20261120".
    func signature(of policy: String, day: String) -> String {
      let key = [day, region, "s3", "aws4_request"].reduce(Array("AWS4\(secretKey)".utf8)) {
        MessageAuthentication.code(of: $1.utf8, key: $0)
      }
      return MessageAuthentication.code(of: policy.utf8, key: key).hexadecimal
    }
  }

  static let bucket = "bucket"

  /// The form fields that permit the upload of one file with this key.
  static func fields(
    key: String, contentType: String?, mostBytes: Int64, seconds: Double, now: Date,
    signer: Signer
  ) -> [String: String] {
    let stamp = now.formatted(
      .iso8601.dateSeparator(.omitted).timeSeparator(.omitted).year().month().day()
        .timeZone(separator: .omitted).time(includingFractionalSeconds: false))
    let day = String(stamp.prefix(8))
    var fields = [
      "key": key, "x-amz-algorithm": "AWS4-HMAC-SHA256",
      "x-amz-credential": "\(signer.accessKey)/\(day)/\(signer.region)/s3/aws4_request",
      "x-amz-date": stamp,
    ]
    if let contentType { fields["Content-Type"] = contentType }
    var conditions: [JSONValue] = [.object(["bucket": .string(bucket)])]
    conditions += fields.sorted { $0.key < $1.key }.map { .object([$0.key: .string($0.value)]) }
    conditions.append(.array([.string("content-length-range"), .integer(0), .integer(mostBytes)]))
    let document = JSONValue.object([
      "expiration": .string((now + seconds).formatted(.iso8601)),
      "conditions": .array(conditions),
    ])
    let policy = Data(document.source.utf8).base64EncodedString()
    fields["policy"] = policy
    fields["x-amz-signature"] = signer.signature(of: policy, day: day)
    return fields
  }

  /// Checks a form against the policy in it.
  ///
  /// - Throws: ``Refusal``: 403 for a wrong signature, an expired policy or anything that the policy does not allow;
  ///   413 for a file that is too long; 400 for a malformed form or policy.
  static func check(_ form: ReceivedForm, signer: Signer, now: Date) throws(Refusal) {
    guard form.files.count == 1, form.files[0].field == "file" else {
      throw Refusal(400, "The form needs one file, in the field \"file\".")
    }
    guard form.order.last == "file" else {  // not text
      throw Refusal(400, "The file must come last: S3 ignores everything after it.")
    }
    let fields = Dictionary(
      form.fields.compactMap { name, values in values.first.map { (name.lowercased(), $0) } },
      uniquingKeysWith: { $1 })
    guard let policy = fields["policy"] else { throw Refusal(400, "The form has no policy.") }
    // The signature is checked first, so that a policy from anyone else is never parsed.
    try checkSignature(fields, policy, signer)
    guard let data = Data(base64Encoded: policy),
      case .object(let document)? = try? JSONValue(bytes: Array(data)),
      case .string(let end)? = document["expiration"],
      case .array(let conditions)? = document["conditions"]
    else { throw Refusal(400, "The policy is not JSON with an expiration and conditions.") }
    guard
      let expiration = (try? Date(end, strategy: .iso8601))
        ?? (try? Date(
          end, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)))
    else { throw Refusal(400, "The policy's expiration is not a valid date.") }
    guard now < expiration else { throw Refusal(403, "The policy has expired.") }

    var covered: Set<String> = ["policy", "x-amz-signature", "file"]
    for condition in conditions {
      try check(condition, fields, size: form.files[0].size, &covered)
    }
    for name in fields.keys.sorted()
    where !covered.contains(name) && !name.hasPrefix(scalars: "x-ignore-") {
      throw Refusal(403, "The policy does not cover the field \"\(name)\".")
    }
  }

  private static func checkSignature(
    _ fields: [String: String], _ policy: String, _ signer: Signer
  ) throws(Refusal) {
    guard fields["x-amz-algorithm"] == "AWS4-HMAC-SHA256" else {
      throw Refusal(400, "The algorithm must be AWS4-HMAC-SHA256.")
    }
    let scope = (fields["x-amz-credential"] ?? "").split(scalar: "/")
    guard scope.count == 5, scope[0].hasSameScalars(as: signer.accessKey) else {
      throw Refusal(403, "The credential is not known here.")
    }
    guard Array(scope[2...]) == [signer.region, "s3", "aws4_request"],
      fields["x-amz-date"]?.utf8.starts(with: scope[1].utf8) == true
    else { throw Refusal(403, "The credential is for another day, region or service.") }
    let expected = signer.signature(of: policy, day: scope[1])
    guard areEqualInConstantTime(expected.utf8, (fields["x-amz-signature"] ?? "").utf8) else {
      throw Refusal(403, "The signature is wrong.")
    }
  }

  private static func check(
    _ condition: JSONValue, _ fields: [String: String], size: Int64, _ covered: inout Set<String>
  ) throws(Refusal) {
    func demand(_ name: String, _ test: (String) -> Bool) throws(Refusal) {
      let name = name.lowercased()
      covered.insert(name)
      let value = name == "bucket" ? bucket : fields[name] ?? ""
      guard test(value) else {
        throw Refusal(403, "The policy does not allow this value of \"\(name)\".")
      }
    }
    switch condition {
    case .object(let members):
      for (name, value) in members { try demand(name) { $0.hasSameScalars(as: value.text) } }
    case .array(let words) where words.count == 3:
      switch (words[0].text.lowercased(), words[1], words[2]) {
      case ("eq", .string(let name), let value):
        try demand(name.removingPrefix(scalars: "$") ?? name) { $0.hasSameScalars(as: value.text) }
      case ("starts-with", .string(let name), let value):
        try demand(name.removingPrefix(scalars: "$") ?? name) { $0.hasPrefix(scalars: value.text) }
      case ("content-length-range", .integer(let least), .integer(let most)):
        guard (least...max(least, most)).contains(size) else {
          throw Refusal(
            size > most ? 413 : 400,
            "The file has \(size) bytes; the policy allows \(least) to \(most).")
        }
      default: throw Refusal(400, "The policy has an unknown condition.")
      }
    default: throw Refusal(400, "The policy has an unknown condition.")
    }
  }
}
