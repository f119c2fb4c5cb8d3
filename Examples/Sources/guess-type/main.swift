// Says of what types files are, and where that comes from:
//
//   guess-type FILE…

import MediaTypes

// What this program knows better than the machine.
let own = NameTable(title: "guess-type", mimeTypes: "application/x-recipe recipe")
let guesser = MediaTypeGuesser(
  tables: [own] + NameTable.ofThisMachine() + [.builtIn], content: ContentSniffer())

for path in CommandLine.arguments.dropFirst() {
  let guess = guesser.guess(path: path)
  print("\(path): \(guess)")
  if let shown = guess.contradiction {
    print("\(path): the name says \(guess.type), the content \(shown)")
  }
}
