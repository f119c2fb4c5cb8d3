/// The names of the panes, right-aligned on the line above them if there is room.
struct Tabs {
  /// A name and the columns that it takes.
  struct Tab {
    var pane: Pane
    var label: String
    var columns: Range<Int>
    var isShown: Bool
  }

  private(set) var tabs: [Tab] = []

  /// The column where the tabs begin.
  var start: Int { tabs.first.map { $0.columns.lowerBound - 2 } ?? .max }

  init(_ state: AppState, width: Int) {
    guard width >= 76 else { return }
    let labels = Pane.allCases.map { pane in
      let key = state.keyLabel(pane.action)
      return (pane, "\(key) \(pane.title)")
    }
    var column = width - 2 - labels.reduce(0) { $0 + $1.1.count + 2 }
    tabs = labels.map { pane, label in
      defer { column += label.count + 2 }
      return Tab(
        pane: pane, label: label, columns: column + 1..<column + 1 + label.count,
        isShown: pane == state.pane)
    }
  }

  func paint(on canvas: inout Canvas) {
    for tab in tabs {
      canvas.put(
        " \(tab.label) ", row: 1, column: tab.columns.lowerBound - 1,
        style: Style(tab.isShown ? .heading : .dim))
    }
  }
}
