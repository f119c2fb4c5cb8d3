import ProcessContext
import ScalarText
import Screens
import Settings

extension ServiceChoice {
  /// The services that hoist has recipes for, by the names that people see.
  static let all = Recipe.all.sorted {
    ($0.title.lowercased(), $0.name) < ($1.title.lowercased(), $1.name)
  }.map { recipe in
    ServiceChoice(
      name: recipe.name, title: recipe.title,
      introduction: recipe.introduction.map { $0.removingPrefix(scalars: "# ") ?? $0 }
        .joined(separator: " "),
      questions: recipe.questions.map {
        Question(
          $0.words, sample: $0.sample, isUsual: $0.isUsual, isOptional: $0.isOptional,
          isSecret: $0.kind == .secret)
      })
  }
}
