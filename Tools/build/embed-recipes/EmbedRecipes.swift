import Foundation
import PackagePlugin

/// Makes a Swift file of config/recipes: `hoist target new` then has them wherever the program is copied to.
@main
struct EmbedRecipes: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let top = context.package.directoryURL
    let script = top.appending(path: "Tools/build/embed-recipes/embed.sh")
    let folder = top.appending(path: "config/recipes")
    let recipes = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let output = context.pluginWorkDirectoryURL.appending(path: "RecipeFiles.swift")
    // The folder is an input because its time tells of new files.
    return [
      .buildCommand(
        displayName: "Embedding the recipes", executable: URL(filePath: "/bin/sh"),
        arguments: [script.path, folder.path, output.path],
        inputFiles: [script, folder] + recipes, outputFiles: [output])
    ]
  }
}
