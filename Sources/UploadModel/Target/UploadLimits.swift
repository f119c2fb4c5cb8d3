/// The limits of a target. They are checked before anything is sent.
package struct UploadLimits: Hashable, Sendable {
  /// The largest file, in bytes; nil for any size.
  package var maxBytes: Int64?
  /// Whether files without content are taken.
  package var takesEmpty = true
  /// The media types that are taken; empty for any.
  package var types: [TypePattern] = []
  /// Whether a file whose content contradicts its name is judged by its content.
  package var checksContent = false

  /// Why a file is not taken; nil if it is.
  package func refusal(of item: UploadItem) -> Failure.Cause? {
    refusal(
      ofSize: item.size, type: checksContent ? item.contentType ?? item.mediaType : item.mediaType)
  }

  /// Why a file of this size and type is not taken; nil if it is.
  func refusal(ofSize size: Int64, type: String) -> Failure.Cause? {
    if size == 0, !takesEmpty { return .empty }
    if let maxBytes, size > maxBytes { return .tooLarge(limit: maxBytes) }
    guard types.isEmpty || types.contains(where: { $0.matches(type) }) else {
      return .typeNotAllowed(type, allowed: types.map(\.description))
    }
    return nil
  }
}
