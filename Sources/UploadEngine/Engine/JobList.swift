import UploadModel

extension UploadEngine {
  /// The uploads that the engine knows. There can be hundreds of thousands, most of which only wait: they become jobs
  /// once something happens to them.
  struct JobList {
    private var waiting = ItemTable<UploadJob>()
    private var begun = ItemTable<Job>()
    private let waitsForServers: Bool

    /// `waitsForServers` says whether uploads wait for their servers, however long that takes.
    init(waitsForServers: Bool) { self.waitsForServers = waitsForServers }

    /// The upload with this number; nil if there is none.
    subscript(id: ItemID) -> Job? {
      mutating get {
        if let job = begun[id] { return job }
        guard let upload = waiting.removeValue(forKey: id) else { return nil }
        let job = Job(upload, waitsForServers: waitsForServers)
        job.phase = .waiting
        begun[id] = job
        return job
      }
    }

    var isEmpty: Bool { waiting.isEmpty && begun.isEmpty }

    func contains(_ id: ItemID) -> Bool { waiting[id] != nil || begun[id] != nil }

    /// The uploads to which something has happened.
    var all: some Sequence<Job> { begun.values }

    /// Whether an upload to a target waits in line.
    func hasWaiting(for target: String) -> Bool {
      waiting.values.contains { $0.target.name == target }
        || begun.values.contains {
          $0.machine.state == .waiting && $0.upload.target.name == target
        }
    }

    /// Adds an upload that waits in line, in place of one with the same number.
    mutating func add(_ upload: UploadJob) {
      begun[upload.item.id] = nil
      waiting[upload.item.id] = upload
    }

    mutating func remove(_ id: ItemID) {
      waiting[id] = nil
      begun[id] = nil
    }
  }
}
