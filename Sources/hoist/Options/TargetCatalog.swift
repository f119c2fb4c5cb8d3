import Foundation
import ScalarText
import Settings
import Synchronization
import UploadModel

/// The targets that a session can send to: the one it was started with, and those of the configuration, which
/// items already in the queue may name.
///
/// Looking up a target can take time, because commands may supply its secrets. Results are cached.
final class TargetCatalog: Sendable {
  /// The names of the targets that can be chosen, sorted.
  let names: [String]
  /// Where they lie, without secrets.
  let urls: [String: String]
  /// The secrets of every target that was looked up.
  let secrets: KnownSecrets
  private let find: @Sendable (String) -> Result<Boxed<Target>, Failure.Cause>
  private let content: Mutex<Content>

  private struct Content {
    var current: Boxed<Target>
    var found: [String: Result<Boxed<Target>, Failure.Cause>] = [:]
  }

  private init(
    _ current: Target, names: [String], urls: [String: String] = [:],
    find: @escaping @Sendable (String) -> Result<Boxed<Target>, Failure.Cause>
  ) {
    self.names = names
    self.urls = urls
    self.find = find
    secrets = KnownSecrets(of: current)
    content = Mutex(Content(current: Boxed(current)))
  }

  /// A catalog of one target.
  convenience init(_ current: Target) {
    self.init(current, names: []) { name in
      .failure(.unsendable("this session does not know the target \(name)"))
    }
  }

  /// A catalog of the targets of a configuration, with `current` selected.
  convenience init(_ current: Target, settings: Settings) {
    let urls = settings.targetNames.compactMap { name in
      settings.blueprint(of: name).map { (name, TargetURL.shown($0.url)) }
    }
    self.init(
      current, names: settings.targetNames,
      urls: Dictionary(urls, uniquingKeysWith: { first, _ in first })
    ) { name in
      do throws(ConfigError) {
        return .success(Boxed(try settings.target(name)))
      } catch {
        return .failure(.unsendable("its target cannot be used now: \(error.reasonFirst)"))
      }
    }
  }

  /// Where files go that are added now.
  var current: Target { content.withLock { $0.current }.value }

  /// Selects another target for files that are added from now on.
  func turn(to name: String) -> Result<Boxed<Target>, Failure.Cause> {
    let result = known(name)
    if case .success(let target) = result { content.withLock { $0.current = target } }
    return result
  }

  /// The suffix of a target whose options are not stored, because they may be secrets.
  static let optionsMark = " (with options)"

  /// The name of a target without that suffix.
  static func withoutMark(_ name: String) -> String {
    name.hasSuffix(scalars: optionsMark)
      ? String(name.unicodeScalars.dropLast(optionsMark.unicodeScalars.count)) : name
  }

  /// The target of an item, or why there is none.
  func target(of item: UploadItem) -> Result<Boxed<Target>, Failure.Cause> {
    let current = content.withLock { $0.current }
    if item.target.isEmpty || item.target == current.value.name { return .success(current) }
    if item.target.hasSuffix(scalars: Self.optionsMark) {
      return .failure(
        .unsendable(
          "it was queued with options that are not kept; start hoist with the same --to, --form and "
            + "--header, or give the target a name in the configuration"))
    }
    return known(item.target)
  }

  /// The target of this name; nil where there is none any more.
  func target(named name: String) -> Target? {
    if case .success(let target) = known(name) { target.value } else { nil }
  }

  /// Looks up the targets of these items in advance.
  func lookUp(for items: some Sequence<UploadItem>) {
    for name in Set(items.lazy.map(\.target)) where !name.hasSuffix(scalars: Self.optionsMark) {
      if !name.isEmpty { _ = known(name) }
    }
  }

  /// Forgets failed lookups: their cause may be gone.
  func forgetFailures() {
    content.withLock { content in
      content.found = content.found.filter { if case .success = $0.value { true } else { false } }
    }
  }

  /// Whether the target of this name takes a second copy without harm.
  func isRepeatable(_ name: String) -> Bool {
    guard case .success(let target) = known(name) else { return false }
    return target.value.isIdempotent
  }

  private func known(_ name: String) -> Result<Boxed<Target>, Failure.Cause> {
    let known = content.withLock { content in
      name == content.current.value.name ? .success(content.current) : content.found[name]
    }
    if let known { return known }
    let result = find(name)
    if case .success(let target) = result { secrets.add(target.value) }
    content.withLock { $0.found[name] = result }
    return result
  }
}
