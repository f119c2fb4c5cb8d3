import Foundation
import MultipartForm
import Testing
import UploadModel

/// The names and addresses of files that go together.
struct SentNamesTests {
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func target(
    _ name: String? = nil, address: String? = nil, method: String = "POST"
  ) throws -> Target {
    var target = Target(name: "t", url: try #require(URL(string: "http://h/")))
    target.method = method
    target.fileName = try name.map { try Template($0) }
    target.address = try address.map { try Template($0) }
    return target
  }

  private func items(_ paths: String...) -> [UploadItem] {
    paths.enumerated().map { UploadItem(id: ItemID(Int64($0)), location: FileLocation($1)) }
  }

  @Test(arguments: [
    ("{unix_ms}_photo.{file.ext}", ["1700000000000_photo.jpg", "1700000000001_photo.png"]),
    ("{index}.{file.ext}", ["1.jpg", "2.png"]), ("{file.path}", ["a.jpg", "x/b.png"]),
  ])
  func eachFileHasItsOwnValues(_ name: String, _ expected: [String]) throws {
    var items = items("f/a.jpg", "f/x/b.png")
    items[1].folder = "x/"
    let target = try target(name)
    let names = items.enumerated().map { target.sentName(of: $1, at: $0, now: now) }
    #expect(names == expected)
    #expect(target.sameName(in: items, now: now) == nil)
  }

  @Test func eachFileHasItsOwnUUID() throws {
    let (target, items) = (try target("{uuid}.jpg"), items("a", "b"))
    let names = items.enumerated().map { target.sentName(of: $1, at: $0, now: now) }
    #expect(names == items.map { "\($0.uuid.uuidString.lowercased()).jpg" })
  }

  @Test(arguments: [
    ("files[{index}]", ["files[1]", "files[2]", "mine"]), ("{file.stem}", ["a", "b", "mine"]),
    ("file", ["file", "file", "mine"]),
  ])
  func eachFileHasItsOwnField(_ field: String, _ expected: [String]) throws {
    var (target, items) = (try target(), items("f/a.jpg", "f/b.png", "f/c.png"))
    target.fileField = try Template(field)
    items[2].field = "mine"
    let plan = try RequestPlan(
      items, to: SendPlan(target), at: .target, credentials: .none,
      target.values(of: items[0], now: now, uuid: UUID()))
    guard case .form(let parts) = plan.content else { throw InvalidInput("no form") }
    #expect(parts.map(\.name) == expected)
  }

  @Test func aNameThatAPersonChoseHolds() throws {
    var item = items("a.jpg")[0]
    (item.fileName, item.nameIsChosen) = ("mine.jpg", true)
    #expect(try target("{uuid}.jpg").sentName(of: item, at: 0, now: now) == "mine.jpg")
  }

  @Test(
    arguments: [
      (nil, ["a/x.jpg", "b/x.jpg"], 1), (nil, ["a/x.jpg", "b/y.jpg"], nil),
      ("photo.jpg", ["a", "b", "c"], 1), ("{index}.jpg", ["a", "b"], nil),
      ("{unix_s}.jpg", ["a", "b"], 1), (nil, ["a/x"], nil),
    ] as [(String?, [String], Int?)])
  func sameNames(_ name: String?, _ paths: [String], _ second: Int?) throws {
    var target = try target(name)
    let items = paths.enumerated().map {
      UploadItem(id: ItemID(Int64($0)), location: FileLocation($1))
    }
    let found = target.sameName(in: items, now: now)
    #expect(found?.item == second.map { items[$0] })
    if let cause = found?.cause {
      #expect(
        Failure(cause).explanation.contains("Another file in the same request is also called"))
    }
    target.takesSameNames = true
    #expect(target.sameName(in: items, now: now) == nil)
  }

  @Test func anAddressIsForOneFile() throws {
    var (target, addresses) = (
      try target(address: "http://h/{file.name}", method: "PUT"), SentAddresses()
    )
    let items = items("a/x", "b/x", "b/y")
    func claim(_ item: UploadItem, _ address: String) -> String? {
      addresses.claim(address, for: item, of: target, hiding: target.secrets).map {
        Failure($0).code
      }
    }
    #expect(claim(items[0], "http://h/x") == nil)
    #expect(claim(items[1], "http://h/x") == "would-overwrite")
    #expect(claim(items[0], "http://h/x") == nil, "it may go again")
    #expect(claim(items[2], "http://h/y") == nil)
    target.takesSameNames = true
    #expect(claim(items[1], "http://h/x") == nil)
    // The same where a ticket names the folder only.
    target = try self.target(method: "PUT")
    var place = ReplyValue(.pointer(try JSONPointer("/bucket")))
    place.suffix = try Template("/{file.name}")
    target.ticket = Ticket(call: Call(url: Template(literal: "http://h/t")), uploadURL: place)
    addresses = SentAddresses()
    #expect(claim(items[0], "http://h/b/x") == nil)
    #expect(claim(items[1], "http://h/b/x") == "would-overwrite")
    // What a server does with a POST is its own to say.
    target = try self.target(address: "http://h/{file.name}")
    #expect(claim(items[1], "http://h/x") == nil)
  }

  @Test func whatWouldOverwriteIsRefusedByLaterRunsToo() throws {
    let target = try target(address: "http://h/{file.name}", method: "PUT")
    var items = items("a/x", "b/x", "c/x")
    let secrets = Secrets(["hunter2"])
    func claim(_ item: UploadItem, _ address: String, _ sent: inout SentAddresses) -> Clash? {
      let cause = sent.claim(address, for: item, of: target, hiding: secrets)
      if case .clash(let clash)? = cause { return clash }
      return nil
    }
    var sent = SentAddresses()
    #expect(claim(items[0], "http://h/x?key=hunter2", &sent) == nil)
    let clash = claim(items[1], "http://h/x?key=hunter2", &sent)
    #expect(clash == .address("http://h/x?key=(secret)"))
    // A report has what was sent, and nothing else needs to be known of it.
    let text = try JSONEncoder().encode(sent)
    #expect(!String(decoding: text, as: UTF8.self).contains("hunter2"))
    var later = try JSONDecoder().decode(SentAddresses.self, from: text)
    #expect(later == sent)
    #expect(claim(items[2], "http://h/x?key=hunter2", &later) != nil, "it had not been tried")
    #expect(claim(items[2], "http://h/c/x?key=hunter2", &later) == nil)
    let known = UploadItem(id: ItemID(9), items[0].record)
    #expect(claim(known, "http://h/x?key=hunter2", &later) == nil, "it may go again")
    // An item that was refused keeps that, wherever it is sent from.
    var nothing = SentAddresses()
    items[1].state = .failed(Failure(.clash(try #require(clash))))
    items[1].state = .waiting
    #expect(claim(items[1], "http://h/x?key=hunter2", &nothing) == clash)
    #expect(claim(items[1], "http://h/b/x?key=hunter2", &nothing) == nil)
  }

  @Test func whatTheQueueHasSentIsClosedToWhatWaitedThen() throws {
    let target = try target(address: "http://h/{file.name}", method: "PUT")
    let items = items("a/x", "b/x", "c/x")
    var stored: [SentAddresses.Entry] = []
    func claim(_ item: UploadItem, _ sent: inout SentAddresses) -> Bool {
      sent.claim("http://h/x", for: item, of: target, hiding: Secrets([])) { stored.append($0) }
        == nil
    }
    var sent = SentAddresses()
    #expect(claim(items[0], &sent) && claim(items[0], &sent))
    #expect(stored.count == 1)
    stored[0].last = ItemID(1)
    var later = SentAddresses(stored)
    #expect(!claim(items[1], &later))
    #expect(claim(items[0], &later) && stored.count == 2, "it is closed to what waits now")
    #expect(!claim(items[2], &later))
    later = SentAddresses([stored[0]])
    #expect(claim(items[2], &later) && stored.count == 3, "it was queued later")
    #expect(!claim(items[0], &later))
  }

  @Test(
    "a file that was refused is refused as well if it is added once more, until the first has left")
  func whatWasRefusedIsNotSentByAddingItAnew() throws {
    var target = try target(address: "http://h/{file.name}", method: "PUT")
    let first = items("a/x", "b/x")
    func claim(_ item: UploadItem, _ sent: inout SentAddresses) -> Bool {
      sent.claim("http://h/x", for: item, of: target, hiding: Secrets([])) == nil
    }
    var sent = SentAddresses()
    #expect(claim(first[0], &sent) && !claim(first[1], &sent))
    let anew = UploadItem(id: ItemID(7), location: first[1].location)
    #expect(!claim(anew, &sent))
    sent.forget([anew.id])
    #expect(!claim(UploadItem(id: ItemID(8), location: first[1].location), &sent))
    // In a later session, addresses are open to what is queued later, but not to a file that was refused.
    let entry = SentAddresses.Entry(address: 0, item: 0, inode: 0, path: 0, last: ItemID(2))
    let refusal = (
      clash: Clash.address("http://h/x"), path: first[1].location.bytes, item: ItemID(2)
    )
    var later = SentAddresses([entry], refused: [refusal])
    #expect(!claim(anew, &later))
    let other = UploadItem(id: ItemID(9), location: "c/x")
    #expect(claim(other, &later))
    target.ifThere = .replace
    later = SentAddresses([entry], refused: [refusal])
    #expect(claim(anew, &later))
    target.ifThere = nil
    later = SentAddresses([entry], refused: [refusal])
    later.forget([ItemID(2)])
    #expect(claim(anew, &later))
  }

  @Test func whatHadTheSameNameInARequestIsRefusedAloneToo() throws {
    var target = try target()
    var items = items("a/x", "b/x", "b/y")
    let found = try #require(target.sameName(in: items, now: now))
    #expect(found.item.id == items[1].id)
    items[1].state = .failed(Failure(found.cause))
    items[1].state = .waiting
    #expect(target.sameName(in: [items[1]], now: now)?.cause == found.cause)
    #expect(target.sameName(in: [items[2], items[1]], now: now)?.item == items[1])
    #expect(target.sameName(in: [items[2]], now: now) == nil)
    (items[1].fileName, items[1].nameIsChosen) = ("z", true)
    #expect(target.sameName(in: [items[1]], now: now) == nil)
    items[1].fileName = "x"
    target.takesSameNames = true
    #expect(target.sameName(in: [items[1]], now: now) == nil)
  }

  @Test(arguments: [
    ("http://h/{file.path}", "http://h/a%20b/c%3Fd/x.jpg"),
    ("http://h/{file.name}", "http://h/x.jpg"),
  ])
  func aPathKeepsItsSlashesInAnAddress(_ address: String, _ expected: String) throws {
    let template = try Template(
      address, escaping: .url, lookup: Template.Lookup(environment: { _ in nil }))
    var item = items("f/a b/c?d/x.jpg")[0]
    item.folder = "a b/c?d/"
    #expect(
      template.filled(with: try target().values(of: item, now: now, uuid: item.uuid)) == expected)
  }

  @Test func aFieldReplacesThoseOfItsName() throws {
    var target = try target()
    target.fields = [("a", "1"), ("b", "2"), ("c", "3"), ("b", "4")].map {
      Target.Field(name: $0, value: Template(literal: $1), type: $0 == "b" ? "text/csv" : nil)
    }
    target.setField(Target.Field(name: "b", value: Template(literal: "new")))
    target.setField(Target.Field(name: "d", value: Template(literal: "5")))
    #expect(target.fields.map(\.name) == ["a", "b", "c", "d"])
    #expect(target.fields.map(\.value.fixedText) == ["1", "new", "3", "5"])
    #expect(target.fields[1].type == "text/csv")
  }
}
