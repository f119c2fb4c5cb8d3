/// How files that were sent before are treated.
package struct SentRules: Sendable {
  /// Whether they are left out.
  var skips: Bool
  /// Whether they are recognised by their content, whatever their names.
  var comparesContent: Bool

  package init(skips: Bool = false, comparesContent: Bool = false) {
    (self.skips, self.comparesContent) = (skips, comparesContent)
  }
}
