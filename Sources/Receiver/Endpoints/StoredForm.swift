/// A form whose files are stored.
public struct StoredForm: Hashable, Sendable, Encodable {
  /// The files, in the order of the form.
  public var files: [StoredFile]
  /// The values of each field, in order.
  public var fields: [String: [String]]

  private enum CodingKeys: CodingKey { case files, fields }

  /// Encodes `{"files": […], "fields": {…}}`. A field is a string, or an array of strings if its name occurs more than
  /// once in the form.
  ///
  /// If the fields are longer than 64 KiB together, they are omitted, since the reply stays in memory until the client
  /// has received it, and JSON can make the fields six times as long.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(files, forKey: .files)
    let bytes = fields.reduce(0) { sum, field in
      field.value.reduce(sum + field.key.utf8.count) { $0 + $1.utf8.count }
    }
    let values = bytes <= Self.mostRepeated ? fields.mapValues(FieldValue.init) : [:]
    try container.encode(values, forKey: .fields)
  }

  /// The most bytes of fields that the reply repeats.
  private static let mostRepeated = 64 << 10

  private struct FieldValue: Encodable {
    let values: [String]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if values.count == 1 { try container.encode(values[0]) } else { try container.encode(values) }
    }
  }
}
