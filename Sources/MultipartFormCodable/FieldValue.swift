import Foundation
import MultipartForm

/// A type whose values are each one part of a form.
protocol FieldValue {
  init(field: FieldDecoder) throws(DecodingError)
  func part(named name: String, by field: FieldEncoder) throws(EncodingError) -> FormPart
}

/// A type whose values are written as text.
protocol TextValue: FieldValue {
  init?(fieldText: String)
  /// Nil if the value cannot be written.
  var fieldText: String? { get }
}

extension TextValue {
  init(field: FieldDecoder) throws(DecodingError) {
    guard let value = Self(fieldText: try field.text(for: Self.self)) else {
      throw field.mismatch(Self.self, "is not of the type \(Self.self)")
    }
    self = value
  }

  func part(named name: String, by field: FieldEncoder) throws(EncodingError) -> FormPart {
    guard let fieldText else { throw field.invalid(self, "\(self) cannot be sent.") }
    // As bytes, so that its line breaks stay as they are.
    return .data(name: name, bytes: fieldText.utf8)
  }
}

extension TextValue where Self: LosslessStringConvertible {
  init?(fieldText: String) { self.init(fieldText) }
  var fieldText: String? { description }
}

extension String: TextValue {}
extension Int: TextValue {}
extension Int8: TextValue {}
extension Int16: TextValue {}
extension Int32: TextValue {}
extension Int64: TextValue {}
extension Int128: TextValue {}
extension UInt: TextValue {}
extension UInt8: TextValue {}
extension UInt16: TextValue {}
extension UInt32: TextValue {}
extension UInt64: TextValue {}
extension UInt128: TextValue {}

extension Bool: TextValue {
  /// Also accepts `on`, which browsers send for a ticked box, and `off`, `1` and `0`.
  init?(fieldText: String) {
    switch fieldText {
    case "true", "on", "1": self = true
    case "false", "off", "0": self = false
    default: return nil
    }
  }
}

extension BinaryFloatingPoint where Self: TextValue & LosslessStringConvertible {
  init?(fieldText: String) {
    guard let value = Self(fieldText), value.isFinite else { return nil }
    self = value
  }

  var fieldText: String? { isFinite ? description : nil }
}

extension Double: TextValue {}
extension Float: TextValue {}

extension Decimal: TextValue {
  init?(fieldText: String) {
    // `Decimal` itself accepts anything that starts with a number.
    guard fieldText.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
      Double(fieldText)?.isFinite == true,
      let value = Decimal(string: fieldText, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self = value
  }

  var fieldText: String? { isFinite ? description : nil }
}

extension URL: TextValue {
  init?(fieldText: String) { self.init(string: fieldText) }
  var fieldText: String? { absoluteString }
}

extension Data: FieldValue {
  init(field: FieldDecoder) throws(DecodingError) {
    self.init(try field.part(for: Self.self).bytes)
  }

  func part(named name: String, by field: FieldEncoder) -> FormPart {
    .data(name: name, bytes: self)
  }
}

extension Date: FieldValue {
  init(field: FieldDecoder) throws(DecodingError) {
    let text = try field.text(for: Self.self)
    let date: Date? =
      switch field.settings.dates {
      case .iso8601:
        (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: Self.milliseconds))
      case .secondsSince1970: Double(fieldText: text).map { Date(timeIntervalSince1970: $0) }
      case .millisecondsSince1970:
        Int64(text).map { Date(timeIntervalSince1970: Double($0) / 1000) }
      }
    guard let date else { throw field.mismatch(Self.self, "is not a date") }
    self = date
  }

  private static let milliseconds = ISO8601FormatStyle(includingFractionalSeconds: true)

  func part(named name: String, by field: FieldEncoder) throws(EncodingError) -> FormPart {
    let seconds = timeIntervalSince1970
    let text: String? =
      switch field.settings.dates {
      case .iso8601: formatted(Self.milliseconds)
      case .secondsSince1970: seconds.fieldText
      case .millisecondsSince1970: Int64(exactly: (seconds * 1000).rounded())?.description
      }
    guard let text else { throw field.invalid(self, "The date \(seconds) cannot be sent.") }
    return .data(name: name, bytes: text.utf8)
  }
}
