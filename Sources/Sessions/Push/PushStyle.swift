import ProcessContext

/// How a push reports what happens.
package enum PushStyle {
  /// JSON, one object on each line.
  case json
  /// Only results and failures.
  case quiet
  /// A line for each file, and further ones at intervals of `every` seconds for a file that takes a long time. With
  /// `showsNotes`, lines say when a file was sent before.
  case lines(every: Double? = nil, showsNotes: Bool = false)
  /// Bars of progress, with the same lines above them.
  case bars(ascii: Bool, hasColours: Bool, showsNotes: Bool)

  func reporter(to output: Output, _ retry: RetryHint?) -> any PushReporter {
    switch self {
    case .json: JSONReporter(output: output)
    case .quiet: LineReporter(to: output, isQuiet: true, retry: retry)
    case .lines(let interval, let showsNotes):
      LineReporter(
        to: output, interval: interval ?? LineReporter.usualInterval, showsNotes: showsNotes,
        retry: retry)
    case .bars(let ascii, let hasColours, let showsNotes):
      ProgressReporter(
        to: output, ascii: ascii, hasColours: hasColours, showsNotes: showsNotes, retry: retry)
    }
  }
}
