import UploadModel

/// What the attempts of this process know about names on servers: which of them their own files have, which numbers are
/// used up, whether a server keeps the condition of a PUT, and what a server has listed.
///
/// What becomes of a file whose name is taken is up to its attempt.
final class Names {
  /// Whether a server carries out a PUT with `If-None-Match: *` only if nothing is at its address. Some servers of
  /// WebDAV ignore it.
  enum Condition {
    case unknown, kept, ignored
  }

  /// The files that have a name on a server, or are to get it, by the name.
  private var users: [String: ItemID] = [:]
  /// The last number that was used for a name.
  private var numbers: [String: Int] = [:]
  private var conditions: [String: Condition] = [:]
  /// The targets whose servers have been asked whether they keep the condition.
  private var asked: Set<String> = []
  private var lists: [String: List] = [:]

  private struct List {
    let begin: Instant
    let reading: Task<Result<[String: TakenName], Failure>, Never>
  }

  /// Takes a name for a file. Returns false if another file of this process has it.
  func take(_ name: String, for id: ItemID) -> Bool {
    if let user = users[name] { return user == id }
    users[name] = id
    return true
  }

  /// Lets others have the names of a file that has not arrived.
  func release(_ id: ItemID) {
    if !users.isEmpty { users = users.filter { $0.value != id } }
  }

  /// The next number for a name, which nobody else gets: 1 for the name itself, and more than `number`.
  func next(for name: String, after number: Int = 0) -> Int {
    let next = max(number, numbers[name] ?? 0) + 1
    numbers[name] = next
    return next
  }

  func condition(of target: String) -> Condition { conditions[target] ?? .unknown }

  func note(_ condition: Condition, of target: String) {
    // A refusal proves that the condition was kept.
    if conditions[target] != .kept { conditions[target] = condition }
  }

  /// Whether a target's server is to be asked now whether it keeps the condition. It is asked once.
  func takeQuestion(of target: String) -> Bool {
    condition(of: target) == .unknown && asked.insert(target).inserted
  }

  /// How long a list is believed, in seconds.
  private static let age = 30.0

  /// What a target's server lists, by name. The attempts share one list, and `read` makes a new one if there is none or
  /// if it is old.
  func list(
    of target: String, on engine: isolated UploadEngine,
    read: @escaping @Sendable () async -> Result<[String: TakenName], Failure>
  ) async -> Result<[String: TakenName], Failure> {
    let now = engine.time.now()
    if let list = lists[target], now - list.begin < Self.age { return await list.reading.value }
    let list = List(begin: now, reading: Task.detached(operation: read))
    lists[target] = list
    let result = await list.reading.value
    if case .failure = result { lists[target] = nil }
    return result
  }
}

/// The name under which a file is sent, as far as its attempts have settled it.
struct Naming: Sendable {
  /// The file's own name.
  let base: String
  /// The number that its name has; 1 for its own name.
  var number: Int
  /// Whether the server had nothing under this name before the file was first sent.
  var wasFree = false
  /// Whether the file was sent under this name, and nobody knows what became of it.
  var isUnclear = false
}
