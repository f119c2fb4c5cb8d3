import UploadModel

/// A target of the configuration.
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

  /// Its name, which no other target has.
  package var id: String { name }

  package init(
    name: String, url: String, isUsual: Bool = false, concurrency: Concurrency? = nil,
    limits: String = ""
  ) {
    (self.name, self.url, self.isUsual) = (name, url, isUsual)
    (self.concurrency, self.limits) = (concurrency, limits)
  }
}
