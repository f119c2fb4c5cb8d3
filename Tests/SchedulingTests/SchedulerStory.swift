import Testing

/// What happens to a line of files, and what a scheduler does about it.
struct SchedulerStory: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var lanes = 10
  var waits = true
  let steps: [SchedulerStep]

  static let line = [
    SchedulerStory(
      testDescription: "first come, first served", lanes: 2,
      steps: [
        .add(1, 2, 3, 4, to: .wide), .starts(1, 2), .over(1), .starts(3), .over(2, 3), .starts(4),
        .startsNothing,
      ]),
    SchedulerStory(
      testDescription: "who comes back stands where it stood", lanes: 1,
      steps: [
        .add(1, 2, 3, to: .wide), .starts(1), .backOff(1), .starts(2), .wait(1), .over(2),
        .starts(1),
      ]),
    SchedulerStory(
      testDescription: "a file in pieces takes lanes that are left, and gives them back", lanes: 8,
      steps: [
        .lanes(4, of: .wide), .add(1, to: .wide), .starts(1), .takesLane(1), .takesLane(1),
        .takesLane(1), .getsNoLane(1), .add(2, 3, 4, to: .wide), .startsNothing,
        .giveBackLanes(1, but: 2), .starts(2, 3), .startsNothing, .getsNoLane(1), .over(1),
        .starts(4), .takesLane(4), .getsNoLane(2), .giveBackLanes(4, but: 1), .stop, .getsNoLane(2),
      ]),
    SchedulerStory(
      testDescription: "a file in pieces takes no more than all lanes", lanes: 2,
      steps: [
        .lanes(4, of: .wide), .add(1, to: .wide), .starts(1), .takesLane(1), .getsNoLane(1),
        .over(1), .add(2, 3, to: .wide), .starts(2, 3), .getsNoLane(2), .getsNoLane(9),
      ]),
    SchedulerStory(
      testDescription: "who failed and is wanted again does, too", lanes: 1,
      steps: [
        .add(1, 2, 3, to: .wide), .starts(1), .over(1), .starts(2), .retry(1), .over(2), .starts(1),
        .over(1), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "a file that the user holds does not start, and keeps its place", lanes: 1,
      steps: [
        .add(1, 2, 3, to: .wide), .hold(2), .starts(1), .over(1), .starts(3), .wait(2), .over(3),
        .starts(2),
      ]),
    SchedulerStory(
      testDescription: "who is removed, is gone", lanes: 1,
      steps: [
        .add(1, 2, 3, to: .wide), .remove(2, 77), .starts(1), .remove(1), .starts(3), .over(3),
        .startsNothing, .add(2, to: .wide), .starts(2),
      ]),
    SchedulerStory(
      testDescription: "who was removed while it was sent, and comes back, comes last", lanes: 1,
      steps: [
        .add(1, 2, to: .wide), .starts(1), .remove(1), .add(1, to: .wide), .starts(2), .over(2),
        .starts(1),
      ]),
    SchedulerStory(
      testDescription: "who did not start waits again", lanes: 2,
      steps: [.add(1, 2, 3, to: .wide), .starts(1, 2), .wait(1, 2), .starts(1, 2)]),
    SchedulerStory(
      testDescription: "adding twice is adding once", lanes: 1,
      steps: [.add(1, 2, 1, to: .wide), .starts(1), .over(1), .starts(2), .over(2), .startsNothing]),
    SchedulerStory(
      testDescription: "stopped, nothing begins",
      steps: [.add(1, to: .wide), .stop, .startsNothing, .start, .starts(1)]),
    SchedulerStory(
      testDescription: "fewer at once to a target break nothing off", lanes: 3,
      steps: [
        .add(1, 2, 3, 4, to: .wide), .starts(1, 2, 3), .lanes(1, of: .wide), .over(1, 2),
        .startsNothing, .over(3), .starts(4), .add(5, to: .wide), .startsNothing, .over(4),
        .starts(5),
      ]),
  ]

  static let ahead = [
    SchedulerStory(
      testDescription: "one is given out ahead for each lane of its target",
      steps: [
        .add(1, 2, 3, 4, 5, 6, to: .a), .starts(1, 2), .giveAhead(.a),
        .starts(.ahead(3), .ahead(4)), .over(1), .begun(3), .starts(.ahead(5)), .over(2, 3),
        .begun(4, 5), .starts(.ahead(6)),
      ]),
    SchedulerStory(
      testDescription: "and of all", lanes: 1,
      steps: [
        .add(1, 2, 3, to: .wide), .giveAhead(.wide), .starts(1, .ahead(2)), .over(1), .begun(2),
        .starts(.ahead(3)), .over(2, 3), .startsNothing,
      ]),
    SchedulerStory(
      testDescription: "who waits for a lane takes none", lanes: 3,
      steps: [
        .add(1, 2, 3, to: .a), .add(4, 5, to: .b), .giveAhead(.a), .starts(1, 2, .ahead(3), 4),
        .over(3), .startsNothing, .over(1), .starts(5),
      ]),
    SchedulerStory(
      testDescription: "large ones wait in line, and those behind them",
      steps: [
        .add(1, 2, 100, 3, to: .a), .giveAhead(.a), .starts(1, 2), .over(1),
        .starts(100, .ahead(3)),
      ]),
    SchedulerStory(
      testDescription: "a file that is taken back keeps its place in line",
      steps: [
        .add(1, 2, 3, 4, 5, to: .a), .giveAhead(.a), .starts(1, 2, .ahead(3), .ahead(4)),
        .giveAhead(0, .a), .wait(3, 4), .startsNothing, .over(1), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "several for each lane; those that were given out go, whatever comes then",
      steps: [
        .add(1, 2, 3, 4, 5, 6, 7, 8, to: .a), .giveAhead(2, .a),
        .starts(1, 2, .ahead(3), .ahead(4), .ahead(5), .ahead(6)), .giveAhead(0, .a), .over(1),
        .begun(3), .startsNothing, .over(2, 3), .begun(4, 5), .startsNothing, .over(4), .begun(6),
        .over(5), .starts(7), .over(6), .starts(8),
      ]),
    SchedulerStory(
      testDescription: "none while more are under way than there are lanes now",
      steps: [
        .add(1, 2, 3, 4, to: .a), .giveAhead(.a), .starts(1, 2, .ahead(3), .ahead(4)), .wait(3, 4),
        .lanes(1, of: .a), .startsNothing, .over(1), .starts(.ahead(3)),
      ]),
    SchedulerStory(
      testDescription: "a lane that becomes free is for those that were given out first",
      steps: [
        .add(1, 2, 3, 4, 5, 6, to: .a), .giveAhead(.a), .starts(1, 2, .ahead(3), .ahead(4)),
        .over(1), .starts(.ahead(5)), .startsNothing, .begun(3), .begun(77), .startsNothing,
        .over(2), .starts(.ahead(6)),
      ]),
  ]

  static let moves = [
    after(.move(3, before: 1), 3, 1, 2, 4),
    after(.move(1, before: 4), 2, 3, 1, 4),
    after(.moveLast(1), 2, 3, 4, 1),
    after(.move(4, before: 3), 1, 2, 4, 3),
    after(.move(1, before: 99), 2, 3, 4, 1),
    after(.move(99, before: 1), 1, 2, 3, 4),
    after(.move(2, before: 2), 1, 2, 3, 4),
    after(.arrange(4, 3, 2, 1), 4, 3, 2, 1),
    after(.arrange(3), 1, 2, 3, 4),
    after(.arrange(3, 1), 3, 2, 1, 4),
    after(.arrange(2, 77, 2, 1), 2, 1, 3, 4),
    after(.arrange(), 1, 2, 3, 4),
  ]

  private static func after(_ move: SchedulerStep, _ order: Int64...) -> SchedulerStory {
    SchedulerStory(
      testDescription: "\(move.event)",
      steps: [.add(1, 2, 3, 4, to: .wide), move, .starts(inOrder: order)])
  }

  static let targets = [
    SchedulerStory(
      testDescription: "each target has its own concurrency",
      steps: [
        .add(1, 2, 3, 4, to: .a), .add(5, 6, 7, to: .b), .starts(1, 2, 5, 6), .over(1), .starts(3),
        .over(5, 6), .starts(7),
      ]),
    SchedulerStory(
      testDescription: "under the number of lanes", lanes: 3,
      steps: [
        .add(1, 2, 3, to: .a), .add(4, 5, 6, to: .b), .starts(1, 2, 4), .over(1), .starts(3),
        .over(4), .starts(5),
      ]),
    SchedulerStory(
      testDescription: "files that pass another target's files do so in order", lanes: 4,
      steps: [
        .add(9, to: .b), .add(1, 2, 3, to: .a), .add(4, to: .b), .starts(9, 1, 2, 4), .over(1),
        .starts(3),
      ]),
    SchedulerStory(
      testDescription: "who goes to another target counts there",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .redirect(3, to: .b), .starts(3), .over(1),
        .starts(4), .redirect(4, to: .b), .over(2), .startsNothing,
      ]),
    SchedulerStory(
      testDescription: "the person's word counts, also before the target is known",
      steps: [
        .lanes(3, of: .a), .lanes(1, of: .b), .add(1, 2, 3, 4, to: .a), .add(5, 6, to: .b),
        .starts(1, 2, 3, 5), .lanes(4, of: .a), .starts(4), .lanes(2, of: .b), .starts(6),
      ]),
    SchedulerStory(
      testDescription: "a batch is one request",
      steps: [
        .add(1, 2, 3, 4, 5, 6, 7, to: .inBatches), .starts([1, 2, 3], [4, 5, 6]), .over(1, 2),
        .startsNothing, .over(3), .starts(7),
      ]),
  ]

  static let servers = [
    SchedulerStory(
      testDescription: "a server that is away is tried by one, for longer and longer",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .unreachable(1).gives(.away(.a, next: 2)),
        .unreachable(2).gives(.away(.a, next: 2)), .go.gives(.wake(after: 2)), .later(2),
        .starts(1, .probed(.a)), .unreachable(1).gives(.away(.a, next: 4)),
        .go.gives(.wake(after: 4)), .later(4), .starts(1, .probed(.a)),
        .reached(1).gives(.back(.a)),
        .starts(2, 3),
      ]),
    SchedulerStory(
      testDescription: "meanwhile others go on",
      steps: [
        .add(1, 2, 3, to: .a), .add(4, 5, 6, to: .b), .starts(1, 2, 4, 5), .unreachable(1, 2),
        .go.gives(.wake(after: 2)), .over(4), .starts(6, .wake(after: 2)), .over(5, 6),
        .go.gives(.wake(after: 2)),
      ]),
    SchedulerStory(
      testDescription: "two targets, one server",
      steps: [
        .add(1, to: .a), .add(2, 3, to: .besideA), .starts(1, 2, 3), .unreachable(1, 2, 3),
        .later(2), .starts(1, .probed(.a)), .reached(1).gives(.back(.a)), .starts(2, 3),
      ]),
    SchedulerStory(
      testDescription: "the probe is held: the next one is it",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .unreachable(1, 2), .later(2),
        .starts(1, .probed(.a)), .hold(1), .starts(2, .probed(.a)), .reached(2).gives(.back(.a)),
        .starts(3),
      ]),
    SchedulerStory(
      testDescription: "R tries it now",
      steps: [
        .add(1, 2, to: .a), .starts(1, 2), .unreachable(1, 2), .go.gives(.wake(after: 2)),
        .tryEverything, .starts(1, .probed(.a)), .tryEverything, .startsNothing,
        .unreachable(1).gives(.away(.a, next: 4)),
      ]),
    SchedulerStory(
      testDescription: "r sends that one as the probe",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .unreachable(1, 2), .go.gives(.wake(after: 2)),
        .retry(3), .starts(3, .probed(.a)), .reached(3).gives(.back(.a)), .starts(1, 2),
      ]),
    SchedulerStory(
      testDescription: "one that was wanted and is gone is no hindrance",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .unreachable(1, 2), .retry(3), .hold(3),
        .starts(1, .probed(.a)),
      ]),
    SchedulerStory(
      testDescription: "nor is one whose credentials are refused",
      steps: [
        .add(1, to: .a), .add(2, 3, to: .besideA), .starts(1, 2, 3), .unreachable(1), .retry(3),
        .refused(2), .starts(1, .probed(.a)),
      ]),
    SchedulerStory(
      testDescription: "with the last file the trouble is gone",
      steps: [
        .add(1, 2, to: .a), .starts(1, 2), .unreachable(1, 2), .remove(1),
        .hold(2).gives(.unneeded(.a)), .startsNothing, .wait(2), .starts(2),
      ]),
    SchedulerStory(
      testDescription: "also where that goes elsewhere",
      steps: [
        .add(1, to: .a), .starts(1), .unreachable(1), .redirect(1, to: .b).gives(.unneeded(.a)),
        .starts(1),
      ]),
    SchedulerStory(
      testDescription: "but not while another target has files there",
      steps: [
        .add(1, to: .a), .add(2, to: .besideA), .starts(1, 2), .unreachable(1, 2), .remove(1),
        .go.gives(.wake(after: 2)), .remove(2).gives(.unneeded(.a)),
      ]),
    SchedulerStory(
      testDescription: "where attempts count, the first failures change nothing", waits: false,
      steps: [
        .add(1, 2, 3, 4, 5, to: .a), .starts(1, 2), .unreachable(1, 2), .starts(1, 2),
        .unreachable(1).gives(.away(.a, next: 2)), .backOff(2), .go.gives(.wake(after: 2)),
      ]),
    SchedulerStory(
      testDescription: "and in the end all that waits is given up", waits: false,
      steps: [
        .add(1, 2, 3, 4, to: .a), .add(8, 9, 10, to: .b), .starts(1, 2, 8, 9),
        .unreachable(1, 2, 1), .later(2), .backOff(3), .starts(1, .probed(.a)),
        .lost(1).gives(.unneeded(.a), .giveUp([2, 3, 4])), .startsNothing, .over(8), .starts(10),
      ]),
  ]

  static let waits = [
    SchedulerStory(
      testDescription: "a wait that a server asks for holds all its files, of any target",
      steps: [
        .add(1, 2, 3, to: .a), .add(4, 8, 9, to: .besideA), .add(5, 6, 7, to: .b),
        .starts(1, 2, 4, 8, 5, 6), .asked(1, toWait: 9), .over(2, 4, 8), .go.gives(.wake(after: 9)),
        .over(5), .starts(7, .wake(after: 9)), .later(9), .starts(3, 9),
      ]),
    SchedulerStory(
      testDescription: "the longest wait counts",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .asked(1, toWait: 9), .asked(2, toWait: 3).gives(),
        .go.gives(.wake(after: 9)), .later(9), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "a file that comes back earlier waits, too",
      steps: [
        .add(1, 2, to: .a), .starts(1, 2), .asked(1, toWait: 9), .over(2), .wait(1),
        .go.gives(.wake(after: 9)), .later(9), .starts(1),
      ]),
    SchedulerStory(
      testDescription: "R asks it now, and so does r",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2),
        .asked(1, toWait: 9).gives(.asksToWait(.a, seconds: 9)), .over(2),
        .go.gives(.wake(after: 9)), .tryEverything.gives(.asksToWait(.a, seconds: 0)),
        .starts(3, 4), .asked(3, toWait: 9), .over(4),
        .retry(1).gives(.asksToWait(.a, seconds: 0)), .starts(1),
      ]),
    SchedulerStory(
      testDescription: "no more pieces of a file go there meanwhile",
      steps: [
        .lanes(4, of: .wide), .add(1, 2, to: .wide), .starts(1, 2), .takesLane(1),
        .asked(2, toWait: 9), .getsNoLane(1), .later(9), .startsNothing, .takesLane(1),
      ]),
    SchedulerStory(
      testDescription: "a wait that the target does not allow gives up what waits", waits: false,
      steps: [
        .add(1, 2, 3, to: .a), .add(8, to: .b), .starts(1, 2, 8), .asked(1, toWait: 61), .over(1),
        .go.gives(.giveUp([3])), .later(61), .add(4, to: .a), .over(2), .starts(4),
      ]),
    SchedulerStory(
      testDescription: "who waits for servers anyway waits for it",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .asked(1, toWait: 600), .over(1),
        .go.gives(.wake(after: 600)),
      ]),
  ]

  static let credentials = [
    SchedulerStory(
      testDescription: "a token comes first, once for all",
      steps: [
        .add(1, 2, 3, to: .withCommand), .go.gives(.renew(.withCommand)), .startsNothing,
        .token(.withCommand), .starts(1, 2), .accepted(1), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "meanwhile others go on",
      steps: [
        .add(1, 2, to: .withCommand), .add(3, to: .besideCommand), .add(4, to: .b),
        .starts(3, .renew(.withCommand), 4),
      ]),
    SchedulerStory(
      testDescription: "an expired token costs nobody anything",
      steps: [
        .add(1, 2, 3, to: .withCommand), .go, .token(.withCommand), .starts(1, 2),
        .refused(1).gives(.renew(.withCommand)), .refused(2).givesNothing, .startsNothing,
        .token(.withCommand), .starts(1, 2), .accepted(1), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "refused: the rest waits, and R sends one ahead",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .refused(1).gives(.shut(.a)),
        .refused(2).givesNothing, .startsNothing, .tryEverything.gives(.tried(.a)), .starts(3),
        .startsNothing, .refused(3).gives(.shut(.a)), .startsNothing, .tryEverything, .starts(4),
        .accepted(4), .startsNothing,
      ]),
    SchedulerStory(
      testDescription: "r sends that file, and no other",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .refused(1).gives(.shut(.a)),
        .refused(2).givesNothing, .retry(2).gives(.tried(.a)), .starts(2), .startsNothing,
        .refused(2).gives(.shut(.a)), .startsNothing, .retry(4).gives(.tried(.a)), .starts(4),
        .accepted(4), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "of several the first goes ahead",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .refused(1, 2), .retry(2, 1), .starts(2),
        .accepted(2), .starts(1, 3),
      ]),
    SchedulerStory(
      testDescription: "where it is taken back, nobody takes its part",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .refused(1, 2), .retry(1).gives(.tried(.a)),
        .hold(1).gives(.shut(.a)), .startsNothing,
      ]),
    SchedulerStory(
      testDescription:
        "one that R sent ahead and that ended without an answer leaves it to the next",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .refused(1, 2), .tryEverything.gives(.tried(.a)),
        .starts(3), .over(3).givesNothing, .starts(4), .accepted(4),
      ]),
    SchedulerStory(
      testDescription: "where it backs off, it is waited for, unless another one is wanted",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .refused(1, 2), .retry(1), .starts(1), .backOff(1),
        .startsNothing, .wait(1), .starts(1), .backOff(1), .retry(2), .starts(2), .accepted(2),
        .starts(3),
      ]),
    SchedulerStory(
      testDescription: "of two that are tried again, the second probes if the first shows nothing",
      steps: [
        .add(1, 2, 3, 4, to: .a), .starts(1, 2), .refused(1, 2), .retry(1, 2).gives(.tried(.a)),
        .starts(1), .over(1).givesNothing, .starts(2), .startsNothing, .accepted(2), .starts(3, 4),
      ]),
    SchedulerStory(
      testDescription: "who got in with the same credentials opens them",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .refused(1).gives(.shut(.a)),
        .accepted(2).gives(.tried(.a)), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "another target at the same server is not concerned",
      steps: [
        .add(1, 2, 3, to: .a), .add(4, to: .besideA), .starts(1, 2, 4), .refused(1, 2, 4),
        .add(5, to: .a), .add(6, to: .besideA), .tryEverything, .starts(3, 6),
      ]),
    SchedulerStory(
      testDescription: "the command fails: one tells why, the others wait",
      steps: [
        .add(1, 2, 3, to: .withCommand), .go.gives(.renew(.withCommand)),
        .noToken(.withCommand).gives(.shut(.withCommand), .fail(1, "no-credentials")),
        .startsNothing, .retry(2).gives(.tried(.withCommand)), .go.gives(.renew(.withCommand)),
        .noToken(.withCommand).gives(.shut(.withCommand), .fail(2, "no-credentials")),
      ]),
    SchedulerStory(
      testDescription: "start means those as well",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .refused(1, 2), .start.gives(.tried(.a)), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "what another process was refused waits from the start, until it is tried",
      steps: [
        .refusedBefore(.a), .add(1, 2, 3, to: .a), .add(9, to: .b), .starts(9), .over(9),
        .retry(2).gives(.tried(.a)), .starts(2), .refused(2).gives(.shut(.a)), .startsNothing,
        .retry(3).gives(.tried(.a)), .starts(3), .accepted(3), .starts(1),
      ]),
    SchedulerStory(
      testDescription: "the command for a token runs only then",
      steps: [
        .refusedBefore(.withCommand), .add(1, 2, to: .withCommand), .startsNothing,
        .tryEverything.gives(.tried(.withCommand)), .go.gives(.renew(.withCommand)),
      ]),
    SchedulerStory(
      testDescription: "without a person, what another process was refused is given up",
      waits: false,
      steps: [.refusedBefore(.a), .add(1, 2, to: .a), .go.gives(.giveUp([1, 2]))]),
    SchedulerStory(
      testDescription: "without a person nobody waits for better ones", waits: false,
      steps: [
        .add(1, 2, 3, 4, to: .a), .add(9, to: .b), .starts(1, 2, 9), .refused(1).gives(.shut(.a)),
        .startsNothing, .over(2), .backOff(3), .go.gives(.giveUp([3, 4])),
      ]),
    SchedulerStory(
      testDescription: "nor for a token", waits: false,
      steps: [
        .add(1, 2, to: .withCommand), .go,
        .noToken(.withCommand).gives(.shut(.withCommand), .fail(1, "no-credentials")),
        .go.gives(.giveUp([2])),
      ]),
    SchedulerStory(
      testDescription: "who goes elsewhere does not wait",
      steps: [
        .add(1, 2, 3, to: .a), .starts(1, 2), .refused(1, 2), .redirect(3, to: .b), .starts(3),
      ]),
  ]

  static let batches = [
    SchedulerStory(
      testDescription: "who went together goes together again",
      steps: [
        .add(1, 2, 3, 4, to: .inBatches), .starts([1, 2, 3], 4), .backOff(1, 2, 3), .startsNothing,
        .wait(2), .starts([1, 2, 3]),
      ]),
    SchedulerStory(
      testDescription: "and with nobody else",
      steps: [
        .add(1, 2, to: .inBatches), .starts([1, 2]), .backOff(1, 2), .add(3, 4, to: .inBatches),
        .wait(1, 2), .starts([1, 2], [3, 4]),
      ]),
    SchedulerStory(
      testDescription: "unless one is missing: then the others are free",
      steps: [
        .add(1, 2, 3, to: .inBatches), .starts([1, 2, 3]), .over(2), .wait(1, 3),
        .add(4, to: .inBatches), .starts([1, 3, 4]),
      ]),
    SchedulerStory(
      testDescription: "or goes elsewhere",
      steps: [
        .add(1, 2, 3, to: .inBatches), .starts([1, 2, 3]), .wait(1, 2, 3), .redirect(2, to: .b),
        .starts([1, 3], 2),
      ]),
    SchedulerStory(
      testDescription: "or is wanted by itself",
      steps: [
        .add(1, 2, 3, to: .inBatches), .starts([1, 2, 3]), .backOff(1, 2, 3), .retry(2), .starts(2),
        .wait(1, 3), .starts([1, 3]),
      ]),
    SchedulerStory(
      testDescription: "halves stay halves",
      steps: [
        .add(1, 2, 3, to: .inBatches), .starts([1, 2, 3]), .wait(1, 2, 3), .tie(1, 2), .tie(3),
        .add(4, to: .inBatches), .starts([1, 2], 3), .over(1), .startsNothing, .over(2), .starts(4),
      ]),
    SchedulerStory(
      testDescription: "a free file does not take one of a group along",
      steps: [.add(1, 2, 3, 4, to: .inBatches), .tie(2, 3), .starts([1, 4], [2, 3])]),
    SchedulerStory(
      testDescription: "one of a group that is still under way goes alone",
      steps: [
        .add(1, 2, to: .inBatches), .starts([1, 2]), .add(3, to: .inBatches), .wait(1), .starts(1),
        .over(2), .starts(3),
      ]),
    SchedulerStory(
      testDescription: "a server in doubt is tried with one file",
      steps: [
        .add(1, to: .inBatches), .starts(1), .add(2, 3, 4, 5, to: .inBatches), .unreachable(1),
        .later(2), .starts(1, .probed(.inBatches)), .reached(1), .starts([2, 3, 4], 5),
      ]),
    SchedulerStory(
      testDescription: "and so are credentials",
      steps: [
        .add(1, to: .inBatches), .starts(1), .add(2, 3, 4, 5, to: .inBatches), .refused(1),
        .retry(3), .starts(3), .accepted(3), .starts([2, 4, 5]),
      ]),
  ]
}
