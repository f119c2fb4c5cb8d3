import UploadModel

extension ListPane<ServerEntry> {
  /// The pane of the files on the server.
  init(server state: AppState, layout: Layout, width: Int) {
    let time = width >= 60 ? width - 21..<width - 1 : width..<width
    let size = time.lowerBound - 9..<time.lowerBound - 2
    self.init(
      layout: layout, list: state.shown, row: state.server.row,
      isMarked: { state.server.list.marks.contains($0.id) }, message: Self.message(state),
      columns: [
        Column(heading: "NAME", place: 4..<max(5, size.lowerBound - 1), matcher: state.litMatcher) {
          $0.name
        },
        Column(heading: "SIZE", place: size, isRight: true) {
          $0.size.map(HumanReadable.bytes) ?? "—"
        },
        Column(heading: "STORED", place: time, role: { _ in .dim }) { $0.time ?? "" },
      ])
  }

  private static func message(_ state: AppState) -> [String]? {
    guard var message = state.serverWords else { return nil }
    if case .failed = state.server.listing {
      message.append("\(state.keyLabel(.refresh, in: .server)) asks again.")
    }
    return message
  }
}
