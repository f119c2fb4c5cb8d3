/// A service that the form for a new target can be filled in for.
package struct ServiceChoice: Hashable, Sendable {
  /// A text that differs from person to person.
  package struct Question: Hashable, Sendable {
    package var words: String
    /// An example of the text.
    package var sample: String
    /// Whether the example suits most people.
    package var isUsual = false
    /// Whether some people need no such text.
    package var isOptional = false
    package var isSecret = false

    package init(
      _ words: String, sample: String, isUsual: Bool = false, isOptional: Bool = false,
      isSecret: Bool = false
    ) {
      (self.words, self.sample, self.isSecret) = (words, sample, isSecret)
      (self.isUsual, self.isOptional) = (isUsual, isOptional)
    }
  }

  /// Its name, which no other service has.
  package var name: String
  /// Its name for people.
  package var title: String
  package var introduction: String
  package var questions: [Question]

  package init(name: String, title: String, introduction: String, questions: [Question]) {
    (self.name, self.title, self.introduction) = (name, title, introduction)
    self.questions = questions
  }
}
