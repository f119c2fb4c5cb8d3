import Testing

@testable import UploadModel

/// What happens to a line of files, in words (`SchedulerScript`).
struct SchedulerStory: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var lanes = 10
  var waits = true
  let story: String

  static let line = [
    SchedulerStory(
      testDescription: "first come, first served", lanes: 2,
      story: "z+1,2,3,4 go→1_2 end:1 go→3 end:2,3 go→4 go→"),
    SchedulerStory(
      testDescription: "who comes back stands where it stood", lanes: 1,
      story: "z+1,2,3 go→1 off:1 go→2 back:1 end:2 go→1"),
    SchedulerStory(
      testDescription: "a file in pieces takes lanes that are left, and gives them back", lanes: 8,
      story:
        "z=4 z+1 go→1 wide:1→yes wide:1→yes wide:1→yes wide:1→no z+2,3,4 go→ but2:1 go→2_3 go→ wide:1→no end:1 go→4 wide:4→yes wide:2→no but1:4 stop wide:2→no"
    ),
    SchedulerStory(
      testDescription: "a file in pieces takes no more than all lanes", lanes: 2,
      story: "z=4 z+1 go→1 wide:1→yes wide:1→no end:1 z+2,3 go→2_3 wide:2→no wide:9→no"),
    SchedulerStory(
      testDescription: "who failed and is wanted again does, too", lanes: 1,
      story: "z+1,2,3 go→1 end:1 go→2 r:1 end:2 go→1 end:1 go→3"),
    SchedulerStory(
      testDescription: "whom the person holds, does not start, and keeps its place", lanes: 1,
      story: "z+1,2,3 hold:2 go→1 end:1 go→3 back:2 end:3 go→2"),
    SchedulerStory(
      testDescription: "who is removed, is gone", lanes: 1,
      story: "z+1,2,3 drop:2,77 go→1 drop:1 go→3 end:3 go→ z+2 go→2"),
    SchedulerStory(
      testDescription: "who was removed while it was sent, and comes back, comes last", lanes: 1,
      story: "z+1,2 go→1 drop:1 z+1 go→2 end:2 go→1"),
    SchedulerStory(
      testDescription: "who did not start waits again", lanes: 2,
      story: "z+1,2,3 go→1_2 back:1,2 go→1_2"),
    SchedulerStory(
      testDescription: "adding twice is adding once", lanes: 1,
      story: "z+1,2,1 go→1 end:1 go→2 end:2 go→"),
    SchedulerStory(
      testDescription: "stopped, nothing begins", story: "z+1 stop go→ start go→1"),
    SchedulerStory(
      testDescription: "fewer at once to a target break nothing off", lanes: 3,
      story: "z+1,2,3,4 go→1_2_3 z=1 end:1,2 go→ end:3 go→4 z+5 go→ end:4 go→5"),
  ]

  static let ahead = [
    SchedulerStory(
      testDescription: "one is given out ahead for each lane of its target",
      story: "a+1,2,3,4,5,6 go→1_2 ahead:a go→3*_4* end:1 begun:3 go→5* end:2,3 begun:4,5 go→6*"),
    SchedulerStory(
      testDescription: "and of all", lanes: 1,
      story: "z+1,2,3 ahead:z go→1_2* end:1 begun:2 go→3* end:2,3 go→"),
    SchedulerStory(
      testDescription: "who waits for a lane takes none", lanes: 3,
      story: "a+1,2,3 b+4,5 ahead:a go→1_2_3*_4 end:3 go→ end:1 go→5"),
    SchedulerStory(
      testDescription: "large ones wait in line, and those behind them",
      story: "a+1,2,100,3 ahead:a go→1_2 end:1 go→100_3*"),
    SchedulerStory(
      testDescription: "whoever is taken back has its place in line",
      story: "a+1,2,3,4,5 ahead:a go→1_2_3*_4* apart:a back:3,4 go→ end:1 go→3"),
    SchedulerStory(
      testDescription: "none while more are under way than there are lanes now",
      story: "a+1,2,3,4 ahead:a go→1_2_3*_4* back:3,4 a=1 go→ end:1 go→3*"),
    SchedulerStory(
      testDescription: "without word of its beginning the next one takes the lane",
      story: "a+1,2,3,4,5 ahead:a go→1_2_3*_4* end:1 go→5 begun:5 begun:77 go→"),
  ]

  static let moves = [
    ("3<1", "3 1 2 4"), ("1<4", "2 3 1 4"), ("1<", "2 3 4 1"), ("4<3", "1 2 4 3"),
    ("1<99", "2 3 4 1"), ("99<1", "1 2 3 4"), ("2<2", "1 2 3 4"), ("order:4,3,2,1", "4 3 2 1"),
    ("order:3", "1 2 3 4"), ("order:3,1", "3 2 1 4"), ("order:2,77,2,1", "2 1 3 4"),
    ("order:", "1 2 3 4"),
  ].map { move, order in
    SchedulerStory(
      testDescription: "moving \(move)",
      story: "z+1,2,3,4 \(move) go→\(order.replacing(" ", with: "_"))")
  }

  static let targets = [
    SchedulerStory(
      testDescription: "each target has its own concurrency",
      story: "a+1,2,3,4 b+5,6,7 go→1_2_5_6 end:1 go→3 end:5,6 go→7"),
    SchedulerStory(
      testDescription: "under the number of lanes", lanes: 3,
      story: "a+1,2,3 b+4,5,6 go→1_2_4 end:1 go→3 end:4 go→5"),
    SchedulerStory(
      testDescription: "whoever passes by another target's files does so in order", lanes: 4,
      story: "b+9 a+1,2,3 b+4 go→9_1_2_4 end:1 go→3"),
    SchedulerStory(
      testDescription: "who goes to another target counts there",
      story: "a+1,2,3,4 go→1_2 b<3 go→3 end:1 go→4 b<4 end:2 go→"),
    SchedulerStory(
      testDescription: "the person's word counts, also before the target is known",
      story: "a=3 b=1 a+1,2,3,4 b+5,6 go→1_2_3_5 a=4 go→4 b=2 go→6"),
    SchedulerStory(
      testDescription: "a batch is one request",
      story: "m+1,2,3,4,5,6,7 go→1+2+3_4+5+6 end:1,2 go→ end:3 go→7"),
  ]

  static let servers = [
    SchedulerStory(
      testDescription: "a server that is away is tried by one, for longer and longer",
      story: """
        a+1,2,3 go→1_2 down:1→a-away+2 down:2→a-away+2 go→wake+2 later:2 go→1_a-away
        down:1→a-away+4 go→wake+4 later:4 go→1_a-away up:1→a-back go→2_3
        """),
    SchedulerStory(
      testDescription: "meanwhile others go on",
      story: "a+1,2,3 b+4,5,6 go→1_2_4_5 down:1,2 go→wake+2 end:4 go→6_wake+2 end:5,6 go→wake+2"),
    SchedulerStory(
      testDescription: "two targets, one server",
      story: "a+1 c+2,3 go→1_2_3 down:1,2,3 later:2 go→1_a-away up:1→a-back go→2_3"),
    SchedulerStory(
      testDescription: "the probe is held: the next one is it",
      story: "a+1,2,3 go→1_2 down:1,2 later:2 go→1_a-away hold:1 go→2_a-away up:2→a-back go→3"),
    SchedulerStory(
      testDescription: "R tries it now",
      story: "a+1,2 go→1_2 down:1,2 go→wake+2 R go→1_a-away R go→ down:1→a-away+4"),
    SchedulerStory(
      testDescription: "r sends that one as the probe",
      story: "a+1,2,3 go→1_2 down:1,2 go→wake+2 r:3 go→3_a-away up:3→a-back go→1_2"),
    SchedulerStory(
      testDescription: "one that was wanted and is gone is no hindrance",
      story: "a+1,2,3 go→1_2 down:1,2 r:3 hold:3 go→1_a-away"),
    SchedulerStory(
      testDescription: "nor is one whose credentials are refused",
      story: "a+1 c+2,3 go→1_2_3 down:1 r:3 no:2 go→1_a-away"),
    SchedulerStory(
      testDescription: "with the last file the trouble is gone",
      story: "a+1,2 go→1_2 down:1,2 drop:1 hold:2→a-unneeded go→ back:2 go→2"),
    SchedulerStory(
      testDescription: "also where that goes elsewhere",
      story: "a+1 go→1 down:1 b<1→a-unneeded go→1"),
    SchedulerStory(
      testDescription: "but not while another target has files there",
      story: "a+1 c+2 go→1_2 down:1,2 drop:1 go→wake+2 drop:2→a-unneeded"),
    SchedulerStory(
      testDescription: "where attempts count, the first failures change nothing", waits: false,
      story: "a+1,2,3,4,5 go→1_2 down:1,2 go→1_2 down:1→a-away+2 off:2 go→wake+2"),
    SchedulerStory(
      testDescription: "and in the end all that waits is given up", waits: false,
      story: """
        a+1,2,3,4 b+8,9,10 go→1_2_8_9 down:1,2,1 later:2 off:3 go→1_a-away
        lost:1→a-unneeded_give-up-2,3,4 go→ end:8 go→10
        """),
  ]

  static let waits = [
    SchedulerStory(
      testDescription: "a wait that a server asks for holds all its files, of any target",
      story:
        "a+1,2,3 c+4,8,9 b+5,6,7 go→1_2_4_8_5_6 ask9:1 end:2,4,8 go→wake+9 end:5 go→7_wake+9 later:9 go→3_9"
    ),
    SchedulerStory(
      testDescription: "the longest wait counts",
      story: "a+1,2,3 go→1_2 ask9:1 ask3:2 go→wake+9 later:9 go→3"),
    SchedulerStory(
      testDescription: "a file that comes back earlier waits, too",
      story: "a+1,2 go→1_2 ask9:1 end:2 back:1 go→wake+9 later:9 go→1"),
    SchedulerStory(
      testDescription: "R asks it now, and so does r",
      story: "a+1,2,3,4 go→1_2 ask9:1 end:2 go→wake+9 R go→3_4 ask9:3 end:4 r:1 go→1"),
    SchedulerStory(
      testDescription: "no more pieces of a file go there meanwhile",
      story: "z=4 z+1,2 go→1_2 wide:1→yes ask9:2 wide:1→no later:9 go→ wide:1→yes"),
    SchedulerStory(
      testDescription: "a wait that the target does not allow gives up what waits", waits: false,
      story: "a+1,2,3 b+8 go→1_2_8 ask61:1 end:1 go→give-up-3 later:61 a+4 end:2 go→4"),
    SchedulerStory(
      testDescription: "who waits for servers anyway waits for it",
      story: "a+1,2,3 go→1_2 ask600:1 end:1 go→wake+600"),
  ]

  static let credentials = [
    SchedulerStory(
      testDescription: "a token comes first, once for all",
      story: "k+1,2,3 go→renew-k go→ token:k go→1_2 ok:1 go→3"),
    SchedulerStory(
      testDescription: "meanwhile others go on", story: "k+1,2 l+3 b+4 go→3_renew-k_4"),
    SchedulerStory(
      testDescription: "an expired token costs nobody anything",
      story: "k+1,2,3 go token:k go→1_2 no:1→renew-k no:2→ go→ token:k go→1_2 ok:1 go→3"),
    SchedulerStory(
      testDescription: "refused: the rest waits, and R sends one ahead",
      story:
        "a+1,2,3,4 go→1_2 no:1→a-shut no:2→ go→ R→a-tried go→3 go→ no:3→a-shut go→ R go→4 ok:4 go→"),
    SchedulerStory(
      testDescription: "r sends that file, and no other",
      story:
        "a+1,2,3,4 go→1_2 no:1→a-shut no:2→ r:2→a-tried go→2 go→ no:2→a-shut go→ r:4→a-tried go→4 ok:4 go→3"
    ),
    SchedulerStory(
      testDescription: "of several the first goes ahead",
      story: "a+1,2,3,4 go→1_2 no:1,2 r:2,1 go→2 ok:2 go→1_3"),
    SchedulerStory(
      testDescription: "where it is taken back, nobody takes its part",
      story: "a+1,2,3 go→1_2 no:1,2 r:1→a-tried hold:1→a-shut go→"),
    SchedulerStory(
      testDescription:
        "one that R sent ahead and that ended without an answer leaves it to the next",
      story: "a+1,2,3,4 go→1_2 no:1,2 R→a-tried go→3 end:3→ go→4 ok:4"),
    SchedulerStory(
      testDescription: "where it backs off, it is waited for, unless another one is wanted",
      story: "a+1,2,3 go→1_2 no:1,2 r:1 go→1 off:1 go→ back:1 go→1 off:1 r:2 go→2 ok:2 go→3"),
    SchedulerStory(
      testDescription: "of two that are tried again, the second probes if the first shows nothing",
      story:
        "a+1,2,3,4 go→1_2 no:1,2 r:1,2→a-tried go→1 end:1→ go→2 go→ ok:2 go→3_4"),
    .init(
      testDescription: "who got in with the same credentials opens them",
      story: "a+1,2,3 go→1_2 no:1→a-shut ok:2→a-tried go→3"),
    SchedulerStory(
      testDescription: "another target at the same server is not concerned",
      story: "a+1,2,3 c+4 go→1_2_4 no:1,2,4 a+5 c+6 R go→3_6"),
    SchedulerStory(
      testDescription: "the command fails: one tells why, the others wait",
      story:
        "k+1,2,3 go→renew-k none:k→k-shut_fail-1:no-credentials go→ r:2→k-tried go→renew-k none:k→k-shut_fail-2:no-credentials"
    ),
    SchedulerStory(
      testDescription: "start means those as well",
      story: "a+1,2,3 go→1_2 no:1,2 start→a-tried go→3"),
    SchedulerStory(
      testDescription: "without a person nobody waits for better ones", waits: false,
      story: "a+1,2,3,4 b+9 go→1_2_9 no:1→a-shut go→ end:2 off:3 go→give-up-3,4"),
    SchedulerStory(
      testDescription: "nor for a token", waits: false,
      story: "k+1,2 go none:k→k-shut_fail-1:no-credentials go→give-up-2"),
    SchedulerStory(
      testDescription: "who goes elsewhere does not wait", story: "a+1,2,3 go→1_2 no:1,2 b<3 go→3"),
  ]

  static let batches = [
    SchedulerStory(
      testDescription: "who went together goes together again",
      story: "m+1,2,3,4 go→1+2+3_4 off:1,2,3 go→ back:2 go→1+2+3"),
    SchedulerStory(
      testDescription: "and with nobody else",
      story: "m+1,2 go→1+2 off:1,2 m+3,4 back:1,2 go→1+2_3+4"),
    SchedulerStory(
      testDescription: "unless one is missing: then the others are free",
      story: "m+1,2,3 go→1+2+3 end:2 back:1,3 m+4 go→1+3+4"),
    SchedulerStory(
      testDescription: "or goes elsewhere", story: "m+1,2,3 go→1+2+3 back:1,2,3 b<2 go→1+3_2"),
    SchedulerStory(
      testDescription: "or is wanted by itself",
      story: "m+1,2,3 go→1+2+3 off:1,2,3 r:2 go→2 back:1,3 go→1+3"),
    SchedulerStory(
      testDescription: "halves stay halves",
      story: "m+1,2,3 go→1+2+3 back:1,2,3 tied:1,2 tied:3 m+4 go→1+2_3 end:1 go→ end:2 go→4"),
    SchedulerStory(
      testDescription: "whoever is free does not take one of a group along",
      story: "m+1,2,3,4 tied:2,3 go→1+4_2+3"),
    SchedulerStory(
      testDescription: "one of a group that is still under way goes alone",
      story: "m+1,2 go→1+2 m+3 back:1 go→1 end:2 go→3"),
    SchedulerStory(
      testDescription: "a server in doubt is tried with one file",
      story: "m+1 go→1 m+2,3,4,5 down:1 later:2 go→1_m-away up:1 go→2+3+4_5"),
    SchedulerStory(
      testDescription: "and so are credentials",
      story: "m+1 go→1 m+2,3,4,5 no:1 r:3 go→3 ok:3 go→2+4+5"),
  ]
}

struct SchedulerTests {
  @Test(
    arguments: SchedulerStory.line + SchedulerStory.ahead + SchedulerStory.moves
      + SchedulerStory.targets)
  func line(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.servers)
  func servers(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.waits)
  func waits(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.credentials)
  func credentials(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.batches)
  func batches(_ row: SchedulerStory) { check(row) }

  private func check(_ row: SchedulerStory) {
    var script = SchedulerScript(lanes: row.lanes, waits: row.waits)
    #expect(script.play(row.story) == [], "in \(row.story)")
  }

  /// Halving the room between two neighbours a hundred times leaves none.
  @Test func thereIsAlwaysRoomBetweenTwoNeighbours() {
    var script = SchedulerScript()
    _ = script.play("z+1,2,3,4")
    for _ in 0..<100 { _ = script.play("2<4 3<4") }
    #expect(script.scheduler.disorder == [])
    #expect(script.play("go→1_2_3_4") == [])
  }

  // MARK: Every event in every state

  /// How file 2 of three gets into a place, and where each event leads from there. Events that are not
  /// named leave it where it is.
  struct PlaceRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reachedBy: String
    let place: Scheduler.Place?
    let next: [String: Scheduler.Place?]
  }

  static let events = [
    "b+2", "back:2", "off:2", "hold:2", "end:2", "drop:2", "b<2", "2<1", "2<", "order:2,1",
    "tied:2,3", "r:2", "R", "down:2", "up:2", "ok:2", "no:2", "b=1", "stop", "start",
    "later:9", "down:1", "no:1",
  ]

  static let places = [
    PlaceRow(
      testDescription: "in line", reachedBy: "a+1,2,3", place: .line,
      next: [
        "off:2": .away(.backOff), "hold:2": .away(.held), "end:2": .away(.over), "drop:2": nil,
        "up:2": .away(.over), "ok:2": .away(.over), "no:2": .away(.over), "go": .lane(2),
      ]),
    PlaceRow(
      testDescription: "on a lane", reachedBy: "a+1,2,3 go", place: .lane(2),
      next: [
        "b+2": .line, "back:2": .line, "off:2": .away(.backOff), "hold:2": .away(.held),
        "end:2": .away(.over), "drop:2": nil, "r:2": .line, "down:2": .line, "up:2": .away(.over),
        "ok:2": .away(.over), "no:2": .away(.over),
      ]),
    PlaceRow(
      testDescription: "backing off", reachedBy: "a+1,2,3 go off:2", place: .away(.backOff),
      next: [
        "b+2": .line, "back:2": .line, "hold:2": .away(.held), "end:2": .away(.over), "drop:2": nil,
        "r:2": .line, "down:2": .line, "up:2": .away(.over), "ok:2": .away(.over),
        "no:2": .away(.over),
      ]),
    PlaceRow(
      testDescription: "held", reachedBy: "a+1,2,3 hold:2", place: .away(.held),
      next: [
        "b+2": .line, "back:2": .line, "off:2": .away(.backOff), "end:2": .away(.over),
        "drop:2": nil, "r:2": .line, "down:2": .line, "up:2": .away(.over), "ok:2": .away(.over),
        "no:2": .away(.over),
      ]),
    PlaceRow(
      testDescription: "over", reachedBy: "a+1,2,3 go end:2", place: .away(.over),
      next: [
        "b+2": .line, "back:2": .line, "off:2": .away(.backOff), "hold:2": .away(.held),
        "drop:2": nil, "r:2": .line, "down:2": .line,
      ]),
    PlaceRow(
      testDescription: "unknown", reachedBy: "a+1,2,3 drop:2", place: nil, next: ["b+2": .line]),
  ]

  @Test(arguments: places)
  func everyEvent(_ row: PlaceRow) {
    for event in Self.events + ["go"] {
      var script = SchedulerScript()
      _ = script.play(row.reachedBy)
      #expect(script.scheduler.entries[ItemID(2)]?.place == row.place)
      _ = script.tell(event)
      let place = script.scheduler.entries[ItemID(2)]?.place
      #expect(place == row.next[event, default: row.place], "\(event)")
      #expect(script.scheduler.disorder == [], "\(event)")
    }
  }
}
