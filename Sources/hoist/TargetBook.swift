import Foundation
import Settings
import UploadModel

/// The targets that a session can send to: the one that it was started with, and those of the
/// configuration, which what is left in the queue may name.
struct TargetBook {
  /// Where files go that are added now.
  private(set) var current: Target
  /// The names of the targets that can be chosen, sorted.
  var names: [String] = []
  private let known: (String) -> Result<Target, Failure.Cause>

  /// A book with one page.
  init(_ current: Target) {
    self.current = current
    known = { name in .failure(.unsendable("this session does not know the target \(name)")) }
  }

  /// A book of the targets of a configuration, opened at `current`.
  init(_ current: Target, settings: Settings) {
    self.current = current
    names = settings.targetNames
    known = { name in
      do {
        return .success(try settings.target(name))
      } catch {
        return .failure(.unsendable("its target cannot be used now: \(error)"))
      }
    }
  }

  /// Opens the book at another page: files that are added from now on go there.
  mutating func turn(to name: String) -> Result<Target, Failure.Cause> {
    let result = known(name)
    if case .success(let target) = result { current = target }
    return result
  }

  /// What is added to the name of a target whose options are not kept, for they may be secrets.
  static let optionsMark = " (with options)"

  /// The name of a target whose options may not be known.
  static func withoutMark(_ name: String) -> String {
    name.hasSuffix(optionsMark) ? String(name.dropLast(optionsMark.count)) : name
  }

  /// The target of an item, or why there is none.
  func target(of item: UploadItem) -> Result<Target, Failure.Cause> {
    if item.target.isEmpty || item.target == current.name { return .success(current) }
    if item.target.hasSuffix(Self.optionsMark) {
      return .failure(
        .unsendable(
          "it was queued with options that are not kept; start hoist with the same --to, --form and "
            + "--header, or give the target a name in the configuration"))
    }
    return known(item.target)
  }

  /// Whether a second copy does no harm at the target of this name.
  func isRepeatable(_ name: String) -> Bool {
    guard case .success(let target) = name == current.name ? .success(current) : known(name) else {
      return false
    }
    return target.isIdempotent
  }
}

extension Target {
  /// Texts that are not to be kept in any file: what authorizes, which may be in a form field, and what
  /// a URL's query may hold.
  var secrets: [String] {
    let values = headers.map(\.value.fixedText) + query.map(\.value.fixedText)
    let words = values.flatMap { $0.split(separator: " ").map(String.init) }
    let queries = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    return values + words + queries.compactMap(\.value) + fields.map(\.value.fixedText)
  }
}
