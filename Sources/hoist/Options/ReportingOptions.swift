import ArgumentParser
import Foundation
import ProcessContext
import Sessions

/// The options that say what a push reports, and where.
struct ReportingOptions: ParsableArguments {
  @Flag(help: .usual("Print one JSON object per line."))
  var json = false

  @Flag(name: [.short, .long], help: .usual("Print only results and failures."))
  var quiet = false

  @Option(
    help: .usual(
      "Write each file's result to a .json or .csv file.", valueName: "file"),
    completion: .file(extensions: ["json", "csv"]))
  var report: String?

  /// The format of the report, after checking that its file can be written; nil if no report was asked for.
  func reportFormat() throws -> PushReport.Format? {
    guard let report else { return nil }
    let format = try PushReport.Format(of: report)
    do { try AtomicFile.check(report) } catch {
      throw UserError("--report: \(error); name another file")
    }
    return format
  }

  /// - Parameters:
  ///   - isVerbose: whether a line says when a file was sent before.
  ///   - mayDraw: whether progress bars may be drawn because nothing else is written to standard error.
  func style(in context: Context, isVerbose: Bool, mayDraw: Bool) -> PushStyle {
    if json { return .json }
    if quiet { return .quiet }
    let terminal = context.environment["TERM"] ?? "dumb"
    guard mayDraw, context.output.errorsAreTerminal, terminal != "dumb" else {
      return .lines(showsNotes: isVerbose)
    }
    // https://no-color.org
    let wantsNoColour = context.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    setlocale(LC_CTYPE, "")
    let isUTF8 = nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"
    return .bars(ascii: !isUTF8, hasColours: !wantsNoColour, showsNotes: isVerbose)
  }
}
