@testable import Screens

/// What holds of the frame of every screen, whatever the size of the window.
enum FrameRule: CaseIterable, Sendable {
  /// Each character takes the columns that a terminal gives it, and none is cut in half.
  case nothingLiesBeyondTheEdge
  /// A terminal without UTF-8 gets ASCII, one column for each character.
  case inASCIIEverythingIsASCII
  /// The panes are where the layout has them, and each line round a pane or a dialog is closed.
  case boxesAreClosed
  /// There is a blank between the columns of a list, in its rows and above them.
  case columnsDoNotTouch
  /// A text that is not there as a whole has an ellipsis.
  case whatIsCutHasItsMark
  /// The last line has the key that closes the dialog, or quits.
  case theWayOutIsInTheLastLine
  /// One row, choice or answer is lit, and it has a sign for screens without colours.
  case theSelectionIsInSight
  /// Rows in different states never look alike, and their signs and words have the role of their state.
  case eachStateHasItsOwnWord
  /// The first line has the target, and the reason why nothing is sent.
  case theHeaderHasTheTargetAndTheTrouble
  /// What lies behind a dialog is dimmed, but for the last line.
  case onlyTheDialogIsLit
  /// Nothing beside a dialog looks like a part of it: there are blanks round it, and beyond them only sides of frames.
  case nothingIsLeftBesideADialog
  /// The terminal's cursor is shown where text is typed, and nowhere else.
  case theCursorIsWhereTextIsTyped
  /// Where not everything fits, it says how much there is.
  case whatIsOutOfSightIsCounted
  /// The names of all panes are shown with their keys, from 76 columns on.
  case panesHaveTheirTabs
  /// There is a blank between the words in the upper edge of a pane and its line.
  case titlesKeepOffTheLine
  /// The line of totals and the window's title say how far everything is.
  case theTotalsAreThere
  /// The lines above the keys have the message, as long as there is one.
  case theMessageIsShown

  /// What breaks the rule, in words.
  func breaches(in sight: Sight) -> [String] {
    switch self {
    case .nothingLiesBeyondTheEdge: sight.offTheEdge
    case .inASCIIEverythingIsASCII: sight.notASCII
    case _ where sight.layout.isTooSmall: []
    case .boxesAreClosed: sight.openBoxes
    case .columnsDoNotTouch: sight.touchingColumns
    case .whatIsCutHasItsMark: sight.unmarkedCuts
    case .theWayOutIsInTheLastLine: sight.missingWayOut
    case .theSelectionIsInSight: sight.missingSelection
    case .eachStateHasItsOwnWord: sight.statesAlike
    case .theHeaderHasTheTargetAndTheTrouble: sight.missingInHeader
    case .onlyTheDialogIsLit: sight.litBehindTheDialog
    case .nothingIsLeftBesideADialog: sight.leftBesideTheDialog
    case .theCursorIsWhereTextIsTyped: sight.strayCursor
    case .whatIsOutOfSightIsCounted: sight.uncounted
    case .panesHaveTheirTabs: sight.missingTabs
    case .titlesKeepOffTheLine: sight.touchedTitles
    case .theTotalsAreThere: sight.missingTotals
    case .theMessageIsShown: sight.missingMessage
    }
  }
}
