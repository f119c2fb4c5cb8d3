import UploadModel

/// A target of the configuration, or a URL that files are sent to without one.
package struct TargetRow: PaneRow {
  package var name: String
  /// Where files go, without secrets.
  package var url: String
  /// Whether it is the default target.
  package var isUsual: Bool
  /// How many files it takes at once, as configured.
  var concurrency: Concurrency?
  /// Its limits besides that, in words: "at most 2 MB/s".
  package var limits: String
  /// Whether several files may share a request.
  var isBatched: Bool
  /// Whether it gives files names of its own, unless a person has chosen them.
  var namesFiles: Bool
  /// Whether two files may have the same name there.
  var takesSameNames: Bool

  /// The first variable that it needs and that is not set; nil if all are set.
  var unsetVariable: String?
  /// Whether the configuration has it; if not, its name is its URL.
  var isConfigured = true

  /// Its name, which no other target has.
  package var id: String { name }

  package init(
    name: String, url: String, isUsual: Bool = false, concurrency: Concurrency? = nil,
    limits: String = "", isBatched: Bool = false, namesFiles: Bool = false,
    takesSameNames: Bool = false, unsetVariable: String? = nil
  ) {
    (self.name, self.url, self.isUsual) = (name, url, isUsual)
    (self.concurrency, self.limits, self.isBatched) = (concurrency, limits, isBatched)
    (self.namesFiles, self.takesSameNames) = (namesFiles, takesSameNames)
    self.unsetVariable = unsetVariable
  }
}
