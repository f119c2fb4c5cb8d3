import Testing

@testable import Screens
@testable import UploadModel

/// The columns of lists, in windows of every size, and the media types in them.
@Suite struct TypeColumnTests {
  /// Columns that moved with each row that goes could not be read.
  @Test func theColumnShrinksOnceNothingNeedsItsWidth() {
    var state = Fixture.empty(size: Size(width: 120, height: 30))
    let types = ["application/x-archive", "application/x-binary", "video/mp4", "text/plain"]
    Fixture.play(
      &state,
      .added(types.enumerated().map { Fixture.item(Int64($0) + 1, "\($0)", type: $1) }))
    func width() -> Int { state.columns(in: state.layout).type.count }
    let whole = width()
    #expect(whole == types[0].count)
    // Another one is nearly as long.
    Fixture.play(&state, .removed([ItemID(1)]))
    #expect(width() == whole)
    Fixture.play(&state, .removed([ItemID(2)]))
    #expect(width() < whole)
    // What comes back has its width again.
    Fixture.play(&state, .added([Fixture.item(5, "x", type: types[0])]))
    #expect(width() == whole)
  }

  private static let widths = 40...250
  private static let heights = [10, 15, 16, 24, 31]
  /// From this width of a window on, every row shows its type.
  private static let leastWidth = 60

  /// The files of the queue, and the short forms of their types.
  private static let files = [
    ("IMG_0001.jpg", "image/jpeg", "", "image/jpeg"), ("a.pdf", "application/pdf", "", "pdf"),
    ("notes.txt", "text/plain", "?", "plain?"), ("clip.mp4", "video/mp4", "!", "video/mp4!"),
    ("core", "application/octet-stream", "?", "octets?"),
  ]

  private static func queue(_ size: Size, targets: [String]) -> AppState {
    var state = Fixture.empty(size: size)
    let items = files.enumerated().map { index, file in
      var item = Fixture.item(Int64(index), file.0, type: file.1, certain: file.2 != "?")
      if file.2 == "!" { item.contentType = "application/zip" }
      item.target = targets[index % targets.count]
      return item
    }
    let sending = ItemState.sending(attempt: 1, sent: 500, total: 1000)
    Fixture.play(
      &state, .added(items),
      .engine([(ItemID(0), sending), (ItemID(1), .failed(Fixture.tooLarge))], at: state.now))
    return state
  }

  @Test(arguments: [["photos"], ["photos", "tickets", "nas"]])
  func columnsFitAtEveryWidth(_ targets: [String]) {
    for width in Self.widths {
      for height in Self.heights {
        let state = Self.queue(Size(width: width, height: height), targets: targets)
        let list = state.layout.list
        let columns = Columns(in: list, hasTargets: targets.count > 1)
        let row = [
          columns.name, columns.target, columns.type, columns.size, columns.bar, columns.percent,
          columns.state,
        ].filter { !$0.isEmpty }
        let words = "\(width)x\(height): \(columns)"
        #expect(row.first?.lowerBound == list.lowerBound + Columns.name, "\(words)")
        #expect(row.last.map { $0.upperBound <= list.upperBound } == true, "\(words)")
        for (one, next) in zip(row, row.dropFirst()) {
          #expect(one.upperBound < next.lowerBound, "\(words)")
        }
        #expect(columns.name.count >= (width < 42 ? 13 : 14), "\(words)")
        #expect(columns.state.count >= (width < 60 ? 15 : 18), "\(words)")
        #expect(width < Self.leastWidth || columns.type.count >= Columns.shortType, "\(words)")
        #expect(width < 66 || columns.bar.count >= 8, "\(words)")
        #expect(width < 73 || columns.size.count == 6, "\(words)")
        #expect(width < 80 || targets.count == 1 || columns.target.count >= 6, "\(words)")
        // The reason for a failure has the place of the progress as well.
        #expect(width < 80 || columns.words.count >= (targets.count > 1 ? 32 : 35), "\(words)")
      }
    }
  }

  /// More important columns come first: none is there without those before it.
  @Test func columnsComeInTheOrderOfTheirImportance() {
    for width in Self.widths {
      let columns = Columns(in: 0..<width, hasTargets: true)
      let ranks = [columns.name, columns.type, columns.bar, columns.size, columns.target]
      let shown = ranks.map { !$0.isEmpty }
      #expect(shown == shown.sorted { $0 && !$1 }, "\(width)")
    }
  }

  @Test(arguments: [["photos"], ["photos", "tickets", "nas"]])
  func everyRowShowsItsTypeFromSixtyColumnsOn(_ targets: [String]) {
    for width in Self.widths where width >= Self.leastWidth {
      for height in Self.heights {
        let size = Size(width: width, height: height)
        let state = Self.queue(size, targets: targets)
        let frame = render(state, size: size)
        let columns = state.columns(in: state.layout)
        func text(_ row: Int, _ place: Range<Int>) -> String {
          Array(frame.line(row))[place].map(\.glyph.text).joined()
        }
        for (row, file) in zip(state.layout.rows, Self.files) {
          let cells = text(row, columns.type)
          let shown = cells.split(separator: " ").joined()
          let type = columns.typesAreWhole ? file.1 + file.2 : file.3
          #expect(shown == type, "\(width)x\(height): \(cells)")
          let gaps = [columns.type.lowerBound - 1, columns.type.upperBound]
          for gap in gaps { #expect(text(row, gap..<gap + 1) == " ", "\(width)x\(height)") }
        }
        if let line = state.layout.headings {
          #expect(text(line, columns.type).hasPrefix("TYPE"), "\(width)x\(height)")
        }
      }
    }
  }

  /// One type that looked like two, beside empty columns or depending on the names, would be a riddle.
  @Test(arguments: [8, 40, 120])
  func aTypeLooksTheSameInAllRows(_ nameLength: Int) {
    let name = String(repeating: "n", count: nameLength)
    let types = [
      "application/octet-stream", "application/x-iso9660-image", "application/x-compressed-tar",
      "text/css",
    ]
    let short = ["octets", "iso", "tar.gz", "text/css"]
    for width in Self.widths where width >= Self.leastWidth {
      var state = Fixture.empty(size: Size(width: width, height: 24))
      // The content of every second file leaves a doubt.
      let items = (0..<8).map { index in
        Fixture.item(
          Int64(index), "\(index)\(name)", type: types[index / 2], certain: index % 2 == 0)
      }
      Fixture.play(&state, .added(items))
      let text = render(state, size: state.size).text[state.layout.rows].joined(separator: "\n")
      let forms = [types, short].map { forms in
        forms.allSatisfy { text.contains(" \($0) ") && text.contains(" \($0)? ") }
      }
      #expect(forms.count { $0 } == 1, "\(width): \(text)")
      // There is a pane of at most 85 columns beside the list.
      #expect(width < 200 || nameLength > 8 || forms[0], "\(width): \(text)")
    }
  }

  /// A type that is too long to be shown does not take from the others what they do not need.
  @Test func shortFormsLeaveTheirRoomToTheState() {
    func columns(_ type: String) -> Columns {
      var state = Fixture.empty(size: Size(width: 110, height: 24))
      Fixture.play(&state, .added([Fixture.item(1, "a", type: type), Fixture.item(2, "b")]))
      return state.columns(in: state.layout)
    }
    let long = columns(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
    #expect(!long.typesAreWhole && long.type.count == Columns.shortType)
    let whole = columns("application/pdf")
    #expect(whole.typesAreWhole && whole.state.count < long.state.count)
  }

  @Test func theArrowOfTheOrderFitsBesideTheTarget() {
    for width in Self.widths where width >= 80 {
      var state = Self.queue(Size(width: width, height: 24), targets: ["photos", "tickets"])
      Fixture.play(&state, .command("sort target"))
      let heads = render(state, size: state.size).text[2]
      #expect(heads.contains("TARGET ▲ ") || heads.contains(" TO ▲ "), "\(heads)")
    }
  }

  @Test(arguments: [
    ("image/jpeg", "", "image/jpeg"), ("image/jpeg", "!", "jpeg!"), ("text/plain", "?", "plain?"),
    ("text/javascript", "", "js"), ("application/postscript", "?", "ps?"),
    ("application/pdf", "", "pdf"), ("application/zip", "!", "zip!"),
    ("application/octet-stream", "?", "octets?"), ("image/svg+xml", "", "svg+xml"),
    ("application/x-7z-compressed", "", "7z"), ("application/vnd.rar", "", "rar"),
    ("application/vnd.google-earth.kml+xml", "", "kml"),
    ("application/vnd.oasis.opendocument.text", "?", "odt?"),
    ("application/x-nobody-knows-this", "?", "nobody-k…?"),
    ("application/x-nobody-knows-this", "", "nobody-k…"), ("", "?", "?"), ("x-", "", "x-"),
  ])
  func tenColumnsHoldAShortForm(_ type: String, _ mark: String, _ short: String) {
    func text(_ width: Int, isWhole: Bool) -> String {
      TypeLabel(type, mark: mark).glyphs(isWhole: isWhole, width: width, ascii: false)
        .map(\.text).joined()
    }
    for width in Columns.shortType...30 { #expect(text(width, isWhole: false) == short) }
    #expect(text(80, isWhole: true) == type + mark)
    for width in 0...30 {
      for isWhole in [false, true] {
        let glyphs = TypeLabel(type, mark: mark)
          .glyphs(isWhole: isWhole, width: width, ascii: true)
        #expect(Glyphs.width(glyphs) <= max(width, 0))
      }
    }
  }

  @Test func theListOfFilesGuessesTypesFromNames() {
    for width in Self.widths {
      for height in [10, 24] {
        var state = Fixture.empty(size: Size(width: width, height: height))
        var folder = Fixture.folder
        folder.entries[folder.entries.count - 1].mediaType = nil
        Fixture.play(&state, .key("b"), .folder(folder))
        let frame = render(state, size: state.size)
        let (top, _) = BrowserBox.place(in: state.size)
        // Below the only folder that is not hidden; the last name tells nothing.
        let rows = (top + 1..<top + BrowserBox.lines(in: state.size)).prefix(4)
        let text = rows.map { frame.line($0).map(\.glyph.text).joined() }
        func show(_ types: [String]) -> Bool { zip(text, types).allSatisfy { $0.contains($1) } }
        let isShown = show([" image/jpeg ", " image/jpeg ", " image/png ", " ? "])
        #expect(isShown == (width >= 52), "\(width)x\(height): \(text)")
      }
    }
  }

  @Test func typesAreReadOut() {
    let state = Self.queue(Size(width: 80, height: 24), targets: ["photos"])
    let lines = Announcer.list(of: state)
    #expect(lines.count == Self.files.count)
    for (line, file) in zip(lines, Self.files) {
      #expect(line.contains("  \(file.0)  \(file.1)\(file.2)  "), "\(line)")
    }
  }
}
