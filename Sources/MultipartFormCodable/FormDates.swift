/// How dates are written in a form.
public enum FormDates: Sendable {
  /// ISO 8601 in UTC, to the millisecond: `2026-05-01T12:30:00.000Z`. Reading accepts any offset, and the fraction may
  /// be missing.
  case iso8601
  /// Seconds since 1970, with a fraction if there is one.
  case secondsSince1970
  /// Whole milliseconds since 1970, as JavaScript counts.
  case millisecondsSince1970
}
