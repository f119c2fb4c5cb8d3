import UploadModel

/// Files that are sent together and with no other files, so that a repeated request, or half of a split request, keeps
/// the same files. A file is in one group at most.
struct BatchGroups: Sendable {
  private var members: [Int: [ItemID]] = [:]
  private var numbers: [ItemID: Int] = [:]
  private var last = 0

  /// All groups.
  var all: some Collection<[ItemID]> { members.values }

  /// Makes a group. Those that its files were in are dissolved.
  mutating func add(_ files: [ItemID]) {
    for id in files { dissolve(with: id) }
    last += 1
    members[last] = files
    for id in files { numbers[id] = last }
  }

  /// The group of a file; nil if it is in none.
  subscript(_ id: ItemID) -> [ItemID]? { numbers[id].flatMap { members[$0] } }

  /// Dissolves the group of a file, if it is in one. The group's other files are free to join any request.
  mutating func dissolve(with id: ItemID) {
    guard let number = numbers[id], let files = members.removeValue(forKey: number) else { return }
    for file in files { numbers[file] = nil }
  }
}
