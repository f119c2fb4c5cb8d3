/// A few things of which one is chosen.
struct Menu: Sendable {
  enum Purpose: Sendable {
    case target
    case sort
  }

  let purpose: Purpose
  let choices: [String]
  var list = ListState()

  var title: String {
    switch purpose {
    case .target: "Where files go that are added from now on"
    case .sort: "Sort the queue"
    }
  }
}
