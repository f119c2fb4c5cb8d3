import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

/// What makes an item is stored whole wherever it is stored: in the queue, the history and reports.
@Suite("Records of items")
struct RecordTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  /// Records in which each part is now as it usually is, now anything.
  static let records: [ItemRecord] = {
    var random = SplitMix64(seed: 67)
    let names = ["a.txt", "é \"b\"\n.jpg", "-", "x;type=a/b", "\u{FFFD}"]
    return (0..<300).map { number in
      func maybe<Value>(_ value: Value, else usual: Value) -> Value {
        Bool.random(using: &random) ? value : usual
      }
      let path = Array("/files/\(number)/".utf8) + maybe([0x61, 0xFF], else: Array("a.txt".utf8))
      var record = ItemRecord(
        target: maybe("https://nas/u (with --form album, --header X-Key)", else: "nas"),
        location: FileLocation(bytes: path),
        fileName: names.randomElement(using: &random),
        field: maybe("photo", else: nil), mediaType: maybe("image/webp", else: "text/plain"),
        typeSource: maybe(ItemRecord.chosenByHand, else: "by extension .txt"),
        typeIsCertain: maybe(false, else: true))
      record.nameIsChosen = maybe(true, else: false)
      record.folder = maybe("2026/a b/", else: "")
      record.contentType = maybe("image/png", else: nil)
      record.clash = maybe(
        maybe(.address("https://nas/a.txt"), else: .name("a.txt")), else: nil)
      record.ifThere = maybe(maybe(.rename, else: .skip), else: nil)
      record.mayHaveLeftRemnant = maybe(true, else: false)
      return record
    }
  }()

  /// The parts of a record by their names, with those that several records can share.
  private static func parts(of record: Any) -> [String: String] {
    var parts: [String: String] = [:]
    for (label, value) in Mirror(reflecting: record).children {
      guard let label else { continue }
      if ["kind", "content", "value"].contains(label) {
        parts.merge(self.parts(of: value)) { $1 }
      } else {
        parts[label] = "\(value)"
      }
    }
    return parts
  }

  @Test("the records that are tried differ in every part")
  func everyPart() {
    let all = Self.records.map(Self.parts)
    #expect(all[0].count == 14)
    for part in all[0].keys { #expect(Set(all.map { $0[part] }).count > 1, "\(part)") }
  }

  @Test("records that share what they have in common stay as they are")
  func sharing() {
    var pool = ItemRecord.Pool()
    // The same characters in other bytes are another folder.
    for folder in ["caf\u{E9}/", "cafe\u{301}/", "caf\u{E9}/"] {
      var record = ItemRecord(location: "/a")
      record.folder = folder
      pool.share(&record)
      #expect(record.folder.utf8.elementsEqual(folder.utf8))
    }
    for record in Self.records {
      var shared = record
      pool.share(&shared)
      #expect(shared == record)
      shared.mediaType = "a/b"
      var other = record
      pool.share(&other)
      #expect(other == record)
    }
  }

  @Test("in the queue, before and after items are written anew")
  func queue() throws {
    let items = Self.records.map { UploadItem(id: ItemID(0), $0) }
    let queued = try harness.open().enqueue(items)
    #expect(try harness.open().items().map(\.record) == Self.records)
    try harness.open().update(queued.reversed(), from: queued)
    #expect(try harness.open().items().map(\.record) == Self.records)
  }

  @Test("in the history of the queue, as each attempt has sent the item")
  func attempts() throws {
    let store = try harness.open()
    let queued = try store.enqueue(Self.records.map { UploadItem(id: ItemID(0), $0) })
    _ = try store.begin(queued.map(\.id))
    try store.record(queued.map { ($0.id, .failed(refused)) })
    #expect(try harness.open().history().map(\.record) == Self.records)
    // A later edit changes what is sent from then on.
    let edited = queued.map { item in
      var item = item
      item.target = "elsewhere"
      item.field = "other"
      (item.fileName, item.nameIsChosen) = ("new \(item.id)", true)
      item.state = .waiting
      return item
    }
    try store.edit(edited)
    #expect(try harness.open().history().map(\.record) == Self.records)
    try store.update(edited, from: edited)
    _ = try store.begin(edited.map(\.id))
    try store.record(edited.map { ($0.id, .failed(refused)) })
    #expect(
      try harness.open().history().map(\.record) == Self.records + edited.map(\.record))
  }

  @Test("in the history of what was pushed")
  func pushed() throws {
    let sent = SentFile(name: "told.txt", mediaType: "a/b", size: 5)
    let states: [ItemState] = [
      .failed(refused), .done(Receipt(status: 201)), .done(Receipt(status: 201, sent: sent)),
    ]
    let items = Self.records.enumerated().map { number, record in
      (item: UploadItem(id: ItemID(0), record, state: states[number % 3]), began: Date())
    }
    try harness.open().log(items)
    let history = try harness.open().history()
    #expect(history.map(\.record) == Self.records)
    #expect(history[2].name == "told.txt" && history[2].size == 5 && history[2].mediaType == "a/b")
    #expect(history.first?.name == Self.records[0].fileName)
  }

  @Test("as JSON, as reports contain them", arguments: [true, false])
  func json(inSnakeCase: Bool) throws {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    if inSnakeCase {
      encoder.keyEncodingStrategy = .convertToSnakeCase
      decoder.keyDecodingStrategy = .convertFromSnakeCase
    }
    for record in Self.records {
      let data = try encoder.encode(record)
      #expect(try decoder.decode(ItemRecord.self, from: data) == record)
    }
    // Nothing is made up.
    let plain = ItemRecord(target: "nas", location: "/a", mediaType: "a/b", typeSource: "x")
    let whole = try JSONSerialization.jsonObject(with: encoder.encode(plain)) as? [String: Any]
    for key in try #require(whole).keys {
      var part = whole
      part?[key] = nil
      let data = try JSONSerialization.data(withJSONObject: part ?? [:])
      #expect(throws: DecodingError.self, "\(key)") {
        try decoder.decode(ItemRecord.self, from: data)
      }
    }
  }

  @Test("A clash stays with its item: after a restart, a retry and an edit elsewhere")
  func clash() throws {
    let store = try harness.open()
    let clash = Clash.address("https://nas/a.txt")
    let stale = try store.enqueue([item("a.txt")])
    _ = try store.begin(stale.map(\.id))
    try store.record([(stale[0].id, .failed(Failure(.clash(clash))))])
    #expect(try harness.open().items().map(\.record.clash) == [clash])
    #expect(try harness.open().history().map(\.record.clash) == [clash])
    // Another process has not heard of it.
    try store.edit(stale)
    try store.update(stale, from: stale)
    #expect(try harness.open().items().map(\.record.clash) == [clash])
    #expect(try harness.open().items().map(\.state) == [.waiting])
  }

  @Test("The queue knows which addresses are closed to what it still has to send")
  func addresses() throws {
    let store = try harness.open()
    let queued = try store.enqueue([item("a/x"), item("b/x", inode: 2)])
    let entry = SentAddresses.Entry(address: .max, item: 1, inode: 1, path: 1)
    store.keep(entry)
    #expect(try harness.open().sentAddresses().isEmpty, "it is written with the next change")
    _ = try store.begin([queued[0].id])
    try store.record([(queued[0].id, .done(Receipt(status: 201)))])
    let later = try store.enqueue([item("c/x", inode: 3)])
    var closed = entry
    closed.last = queued[1].id
    #expect(try harness.open().sentAddresses() == SentAddresses([closed]))
    _ = try store.recover()
    #expect(try harness.open().sentAddresses() == SentAddresses([closed]))
    // Once what waited then is gone, it may be taken again.
    try store.remove([queued[1].id])
    #expect(try harness.open().sentAddresses().isEmpty)
    _ = try store.recover()
    #expect(try store.relist([queued[1].id]).map(\.id) == [queued[1].id])
    #expect(try harness.open().sentAddresses().isEmpty)
    #expect(try store.items().map(\.id) == [queued[1].id, later[0].id])
  }

  @Test("What was sent is known whichever options its target had")
  func options() throws {
    let store = try harness.open()
    let name = TargetName("nas", with: ["--form album"])
    try store.log([(item("a", target: name.text, state: .done(Receipt(status: 200))), Date())])
    for target in ["nas", name.text, "nas (with --header X)"] {
      #expect(try store.sentBefore([item("a")], to: target).count == 1, "\(target)")
    }
    for target in ["na", "nas2", "other"] {
      #expect(try store.sentBefore([item("a")], to: target).isEmpty, "\(target)")
    }
  }
}
