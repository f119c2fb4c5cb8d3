import ArgumentParser

@main
struct Hoist: AsyncParsableCommand {}
