import UploadModel

/// A rule by which replies like that of a doubtful file mean failure, for the user to see before it is saved.
package struct RuleDraft: Sendable, Equatable {
  /// The doubtful file.
  package var item: ItemID
  /// The name of the target that gets the rule.
  package var target: String
  /// The address of the target, if the target must be made first; nil if it is in the configuration.
  package var url: String?
  /// The rule as it will be in the configuration.
  package var text: String

  package init(item: ItemID, target: String, url: String?, text: String) {
    (self.item, self.target, self.url, self.text) = (item, target, url, text)
  }
}
