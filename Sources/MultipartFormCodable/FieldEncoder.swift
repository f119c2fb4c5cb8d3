import MultipartForm

/// The parts that have been encoded so far.
final class PartList {
  fileprivate(set) var parts: [FormPart] = []
}

/// Encodes the value that gets one name.
struct FieldEncoder: Encoder, SingleValueEncodingContainer {
  /// The names that a value can get.
  struct Name {
    /// The name if the value is one part.
    var single: String
    /// The name if it consists of several parts, whose keys follow in brackets.
    var group: String
    var isElement = false
  }

  let parts: PartList
  let settings: MultipartFormEncoder
  private(set) var codingPath: [any CodingKey] = []
  /// Nil for the form itself.
  private(set) var name: Name?
  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func write(_ value: some Encodable) throws(EncodingError) {
    do {
      guard let own = value as? any FieldValue else { return try value.encode(to: self) }
      guard let name else {
        throw invalid(value, "A form consists of named values: encode a structure or a dictionary.")
      }
      parts.parts.append(try own.part(named: name.single, by: self))
    } catch let error as EncodingError { throw error } catch {
      throw .invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
    }
  }

  func encodeNil() throws {
    // Everywhere but in arrays, nil is omitted.
    guard name?.isElement != true else {
      throw invalid(Any?.none as Any, "An element of an array in a form cannot be nil.")
    }
  }

  func encode(_ value: some Encodable) throws { try write(value) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Group(field: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(field: self) }

  // MARK: Names

  private func nested(_ name: Name?, at key: any CodingKey) -> FieldEncoder {
    FieldEncoder(parts: parts, settings: settings, codingPath: codingPath + [key], name: name)
  }

  private func member(_ key: some CodingKey) -> FieldEncoder {
    let text = name.map { "\($0.group)[\(key.stringValue)]" } ?? key.stringValue
    return nested(Name(single: text, group: text), at: key)
  }

  private func element(_ index: Int) -> FieldEncoder {
    nested(
      name.map { name in
        let group = "\(name.group)[\(index)]"
        let single =
          switch settings.arrays {
          case .brackets: "\(name.group)[]"
          case .indices: group
          case .repeated: name.group
          }
        return Name(single: single, group: group, isElement: true)
      }, at: FieldName.Key(index: index))
  }

  // MARK: Errors

  func invalid(_ value: Any, _ words: String) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: words))
  }

  /// Named values.
  private struct Group<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let field: FieldEncoder
    var codingPath: [any CodingKey] { field.codingPath }

    func encodeNil(forKey key: Key) {}

    func encode(_ value: some Encodable, forKey key: Key) throws {
      let member = field.member(key)
      guard FieldName.canHold(key.stringValue) else {
        throw member.invalid(value, "A key in a form must not be empty or contain brackets.")
      }
      try member.write(value)
    }

    func nestedContainer<Nested>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { field.member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      field.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { field.member(FieldName.Key.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { field.member(key) }
  }

  /// The elements of an array.
  private struct Elements: UnkeyedEncodingContainer {
    let field: FieldEncoder
    var codingPath: [any CodingKey] { field.codingPath }
    private(set) var count = 0

    private mutating func next() -> FieldEncoder {
      defer { count += 1 }
      return field.element(count)
    }

    mutating func encodeNil() throws { try next().encodeNil() }
    mutating func encode(_ value: some Encodable) throws { try next().write(value) }

    mutating func nestedContainer<Nested>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      next().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { next() }
  }
}
