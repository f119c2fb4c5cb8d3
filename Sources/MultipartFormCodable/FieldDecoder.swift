import Foundation
import MultipartForm

/// Decodes the value that one name leads to.
struct FieldDecoder: Decoder, SingleValueDecodingContainer {
  /// Nil if no field has that name.
  let node: FieldNode?
  let settings: MultipartFormDecoder
  private(set) var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  /// A decoder for the value that a key leads to from here. Throws if nothing is there and the path is too deep, so
  /// that a type that contains itself does not recurse forever.
  func nested(_ node: FieldNode?, at key: any CodingKey) throws -> FieldDecoder {
    let nested = FieldDecoder(node: node, settings: settings, codingPath: codingPath + [key])
    guard node != nil || nested.codingPath.count <= settings.depth else { throw nested.missing() }
    return nested
  }

  func value<Value: Decodable>(_ type: Value.Type) throws(DecodingError) -> Value {
    do {
      if let own = type as? any FieldValue.Type, let value = try own.init(field: self) as? Value {
        return value
      }
      return try type.init(from: self)
    } catch let error as DecodingError { throw error } catch {
      throw .dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "\(error)", underlyingError: error))
    }
  }

  /// The part of a value that consists of a single part.
  func part(for type: Any.Type) throws(DecodingError) -> CollectedForm.Part {
    guard let node else { throw missing() }
    guard let part = node.only else {
      throw mismatch(type, node.parts.count > 1 ? "occurs several times" : "is not a single value")
    }
    return part
  }

  func text(for type: Any.Type) throws(DecodingError) -> String {
    let part = try part(for: type)
    guard !part.header.isFile else { throw mismatch(type, "is a file") }
    guard let text = String(validating: part.bytes, as: UTF8.self) else {
      throw mismatch(type, "is not UTF-8")
    }
    return text
  }

  func decodeNil() -> Bool { node?.isBlank ?? true }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard node?.isGroup != false else { throw mismatch([String: Any].self, "is a single value") }
    return KeyedDecodingContainer(Group(field: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    // An array without elements sends no part, so a missing field is an empty array.
    guard let elements = node.map(\.elements) ?? [] else {
      throw mismatch([Any].self, "is not an array")
    }
    return Elements(field: self, elements: elements)
  }

  // MARK: Errors

  private var name: String { FieldName.text(codingPath) }

  func mismatch(_ type: Any.Type, _ words: String) -> DecodingError {
    .typeMismatch(
      type,
      .init(
        codingPath: codingPath, debugDescription: "The field \(name.debugDescription) \(words)."))
  }

  private func missing() -> DecodingError {
    guard let key = codingPath.last else {
      return .dataCorrupted(
        .init(codingPath: [], debugDescription: "A form is not a single value."))
    }
    return .keyNotFound(
      key,
      .init(
        codingPath: codingPath.dropLast(),
        debugDescription: "The field \(name.debugDescription) is missing."))
  }

  /// Named values.
  private struct Group<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let field: FieldDecoder
    var codingPath: [any CodingKey] { field.codingPath }
    var allKeys: [Key] { field.node?.keys.compactMap(Key.init(stringValue:)) ?? [] }

    func contains(_ key: Key) -> Bool { field.node?[key.stringValue] != nil }

    func nested(_ key: some CodingKey) throws -> FieldDecoder {
      try field.nested(field.node?[key.stringValue], at: key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try nested(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try nested(key).value(type)
    }

    /// Returns nil only if the field is missing. Unlike other values, a text may be empty without being nil.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
      contains(key) ? try decode(type, forKey: key) : nil
    }

    func nestedContainer<Nested>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try nested(FieldName.Key.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }
  }

  /// The elements of an array.
  private struct Elements: UnkeyedDecodingContainer {
    let field: FieldDecoder
    let elements: [FieldNode]
    var codingPath: [any CodingKey] { field.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }
    private(set) var currentIndex = 0

    private func next() throws -> FieldDecoder {
      try field.nested(
        isAtEnd ? nil : elements[currentIndex], at: FieldName.Key(index: currentIndex))
    }

    /// Takes a value from the next element. The index advances only if that throws no error.
    private mutating func take<Value>(_ take: (FieldDecoder) throws -> Value) throws -> Value {
      let value = try take(next())
      currentIndex += 1
      return value
    }

    mutating func decodeNil() throws -> Bool {
      guard try next().decodeNil() else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try take { try $0.value(type) }
    }

    mutating func nestedContainer<Nested>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try take { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try take { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take { $0 } }
  }
}
