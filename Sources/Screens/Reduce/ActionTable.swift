extension Action {
  /// All actions; within a mode the order is that of the footer and of the help overlay.
  package static let all: [Action] =
    serverAndTargets + queue + panes + moving + browser + typing + questions + leaving

  private static let serverAndTargets: [Action] = [
    Action(.delete, ["x", .delete], in: [.server], "delete on the server", hint: "delete"),
    Action(
      .target, ["t", " "], in: [.targets], "send files added from now on to this target",
      hint: "choose"),
    Action(.details, [.enter], in: [.targets], "all settings of the target", hint: "details"),
    Action(
      .tryTarget, ["c"], in: [.targets],
      "reread the target's secrets, and check whether it answers and accepts them", hint: "try"),
    Action(
      .edit, ["e"], in: [.targets], "change its address, name or token, or make it the default",
      hint: "edit"),
    Action(.makeDefault, ["d"], in: [.targets], "make it the default target", hint: "make default"),
    Action(.add, ["a"], in: [.targets], "make a new target", hint: "new"),
    Action(
      .delete, ["x", .delete], in: [.targets], "remove it from the configuration", hint: "delete"),
    Action(
      .undo, ["z"], in: [.targets], "bring back the target that was deleted last", hint: "undo"),
    Action(
      .refresh, ["r", .function(5)], in: [.targets], "read the configuration again",
      hint: "read again"),
  ]

  private static let queue: [Action] = [
    Action(.add, ["a"], "add files by path", hint: "add", argument: "PATH…", footer: 1),
    Action(.browse, ["b"], "add files from a list", hint: "browse", footer: 9, traits: .visual),
    Action(
      .details, [.enter], in: [.queue, .history], "everything about the file and its failure",
      hint: "details", argument: "[FILE…]", footer: 4),
    Action(.details, [.enter], in: [.log], "all of the line", hint: "all of it"),
    Action(
      .retry, ["r"], in: [.queue, .details], "send a failed file again", hint: "retry",
      argument: "[FILE…]", footer: 3, traits: .edits),
    Action(
      .remove, ["x", .delete], "remove from the queue", hint: "remove", argument: "[FILE…]",
      footer: 8, traits: .edits),
    Action(
      .retryAll, ["R"], "retry all failed files and waiting targets", hint: "retry all",
      footer: 10, traits: .edits),
    Action(
      .pause, ["p"], "pause a file, or resume it", hint: "pause", argument: "[FILE…]", footer: 6,
      traits: .edits),
    Action(
      .pauseAll, ["P"], "pause all files, or resume those that it has paused", traits: .edits),
    Action(.startStop, ["s"], "start no more files, or resume", hint: "stop", footer: 2),
    Action(
      .edit, ["e"], "change names, type, field or target", hint: "edit", argument: "[FILE…]",
      footer: 7, traits: [.edits, .visual]),
    Action(
      .rename, [], "change the names sent to servers, with a template or a pattern",
      argument: "NAMES", traits: [.edits, .visual]),
    Action(.limit, ["u"], "limit the bandwidth", hint: "limit", argument: "SPEED", footer: 13),
    Action(
      .lanes, [], "set how many files go to this row's target at once, or auto",
      argument: "NUMBER"),
    Action(.moreLanes, ["+"], "one more file at once to the row's target", traits: .keyOnly),
    Action(
      .fewerLanes, ["-"], "one fewer file at once to the row's target", traits: .keyOnly),
    Action(
      .target, ["t"], in: [.queue, .server, .history],
      "choose or create the target for files added from now on", hint: "target", argument: "NAME",
      footer: 12),
    Action(.theme, [], "choose how the screen looks", argument: "NAME", traits: .looks),
    Action(
      .clear, ["c"], "remove sent files from the queue, but not doubtful ones", hint: "clear",
      footer: 15, traits: .edits),
    Action(
      .mark, [" "], in: Mode.marked + [.browser], "mark for the next action", hint: "mark",
      footer: 16, traits: .visual),
    Action(
      .markRange, ["V"], in: Mode.marked, "mark all rows from here to where you move next",
      traits: .looks),
    Action(.markAll, [.control("a")], in: Mode.marked + [.browser], "mark all", traits: .visual),
    Action(
      .invertMarks, [.control("r")], in: Mode.marked + [.browser], "invert the marks",
      traits: .visual),
    Action(
      .clearMarks, [.escape], in: Mode.named, "clear the marks, then the filter", traits: .visual),
    Action(.moveDown, ["J"], "send later", traits: [.edits, .visual]),
    Action(.moveUp, ["K"], "send sooner", traits: [.edits, .visual]),
    Action(.moveToTop, ["T"], "send first", traits: [.edits, .visual]),
    Action(
      .sort, ["o"], "sort the queue, and so the order of sending", hint: "sort", argument: "ORDER",
      footer: 14, traits: .edits),
    Action(
      .undo, ["z"], "undo the last edit of the queue", hint: "undo", footer: 11, traits: .edits),
    Action(.redo, ["Z"], "redo what was undone", traits: .edits),
    Action(
      .filter, ["f"], in: Mode.named,
      "show only names that contain a text, or rows that are failed, sent…", argument: "[TEXT]"),
    Action(.filter, ["f"], in: [.browser], "show only names that contain a text"),
    Action(
      .find, ["/"], in: Mode.named, "go to the next name that contains a text", argument: "TEXT",
      traits: .looks),
    Action(.findNext, ["n"], in: Mode.named, "go to the next match", traits: .looks),
    Action(.findPrevious, ["N"], in: Mode.named, "go to the previous match", traits: .looks),
    Action(
      .nextFailed, ["!"], in: [.queue, .history],
      "go to the next file that failed, may have arrived or is doubtful", traits: .looks),
    Action(
      .failures, ["E"], "the problems by their reasons: retry, remove or list all of a reason",
      hint: "reasons", footer: 4),
    Action(
      .failWhen, ["w"], in: [.queue, .details],
      "treat replies like this doubtful one as failures",
      hint: "make a rule", footer: 4, traits: .edits),
    Action(
      .arrived, [], "count a file that may have arrived as sent: it is on the server",
      argument: "[FILE…]", traits: .edits),
    Action(
      .nextActive, ["."], "go to the next file being sent, and follow what is sent",
      traits: .looks),
  ]

  private static let panes: [Action] = [
    Action(
      .copyURL, ["y"], in: [.queue, .details, .server, .history, .page],
      "copy the file's URL on the server", hint: "copy URL", footer: 5),
    Action(
      .copyAsCurl, ["Y"], in: [.queue, .details, .history, .page],
      "copy a curl command that sends the file, without secrets"),
    Action(
      .openURL, ["O"], in: [.queue, .details, .server, .history, .page],
      "open the file's URL in the browser"),
    Action(
      .deleteUploaded, ["D"], in: [.queue, .details, .history, .page],
      "delete the file on the server, at the address given in its reply to the upload"),
    Action(
      .retry, ["r"], in: [.history, .page], "send the file once more", hint: "send again"),
    Action(
      .refresh, ["r", .function(5)], in: [.server], "ask for the list again", hint: "list again"),
    Action(.refresh, [.function(5)], in: [.history], "ask for the list again"),
    Action(.sort, ["o"], in: [.history], "sort by time, by name, or failures first", hint: "sort"),
    Action(.server, ["2", "L"], in: Mode.panes, "what is on the server", traits: .visual),
    Action(.history, ["3"], in: Mode.panes, "what was sent before", traits: .visual),
    Action(.log, ["4"], in: Mode.panes, "what happened in this session", traits: .visual),
    Action(
      .targets, ["5"], in: Mode.panes, "the targets: try, choose, make, delete them",
      traits: .visual),
    Action(.queue, ["1"], in: Mode.panes, "the queue", traits: .visual),
    Action(.nextPane, [.tab], in: Mode.panes, "the next pane", traits: .keyOnly),
    Action(.previousPane, [.backTab], in: Mode.panes, "the previous pane", traits: .keyOnly),
  ]

  private static let moving: [Action] = [
    Action(.down, ["j", .down], in: Mode.moving, "down", traits: [.looks, .keyOnly]),
    Action(.up, ["k", .up], in: Mode.moving, "up", traits: [.looks, .keyOnly]),
    Action(
      .pageDown, [.control("d"), .pageDown], in: Mode.moving, "a page down",
      traits: [.looks, .keyOnly]),
    Action(
      .pageUp, [.control("u"), .pageUp], in: Mode.moving, "a page up", traits: [.looks, .keyOnly]),
    Action(.top, ["g", .home], in: Mode.moving, "to the top", traits: [.looks, .keyOnly]),
    Action(.bottom, ["G", .end], in: Mode.moving, "to the bottom", traits: [.looks, .keyOnly]),
  ]

  private static let browser: [Action] = [
    Action(
      .open, [.enter, .right, "l"], in: [.browser],
      "open the folder, or add the marked files or this one", hint: "open"),
    Action(
      .add, ["a"], in: [.browser], "add the marked files, or the one under the cursor", hint: "add"),
    Action(.parent, [.left, "h", .backspace], in: [.browser], "the folder above", hint: "up"),
    Action(
      .toggleHidden, ["."], in: [.browser], "show or hide names that begin with a dot",
      hint: "hidden"),
    Action(
      .sort, ["o"], in: [.browser], "sort by name, newest first, or largest first", hint: "sort"),
    Action(.details, ["?"], in: [.help], "all keys; once more closes the help", hint: "all keys"),
    Action(.find, ["/"], in: [.help], "show only lines that contain a text", hint: "search"),
    Action(.find, ["/"], in: [.browser], "show only names that contain a text", hint: "filter"),
    Action(
      .accept, [.enter, " "], in: [.failures], "mark its files in the queue", hint: "mark"),
    Action(.retry, ["r"], in: [.failures], "send its files again", hint: "retry"),
    Action(
      .remove, ["x", .delete], in: [.failures], "remove its files from the queue",
      hint: "remove"),
    Action(
      .writeList, ["w"], in: [.failures], "write the paths of its files into a file",
      hint: "write a list"),
    Action(.accept, [.enter, .right, "l", " "], in: [.menu], "choose it", hint: "choose"),
    Action(.accept, [.enter], in: [.pick], "choose it", hint: "choose"),
    Action(.down, [.down, .control("n"), .tab], in: [.pick], "down", hint: "down"),
    Action(.up, [.up, .control("p"), .backTab], in: [.pick], "up"),
    Action(.pageDown, [.pageDown], in: [.pick], "a page down"),
    Action(.pageUp, [.pageUp], in: [.pick], "a page up"),
    Action(.top, [.home], in: [.pick], "to the top"),
    Action(.bottom, [.end], in: [.pick], "to the bottom"),
  ]

  private static let typing: [Action] = [
    Action(.accept, [.enter], in: [.prompt], "add what is typed", hint: "add"),
    Action(.accept, [.enter], in: [.command], "run what is typed", hint: "do"),
    Action(.accept, [.enter], in: [.find], "keep the search or filter", hint: "keep"),
    Action(.accept, [.enter], in: [.form], "change the file", hint: "change"),
    Action(
      .accept, [.enter], in: [.setup], "test the target and save it", hint: "test and continue"),
    Action(.accept, [.enter], in: [.limit], "set the typed limit", hint: "limit"),
    Action(.complete, [.tab], in: [.prompt, .command], "complete what is typed", hint: "complete"),
    Action(.completeBack, [.backTab], in: [.prompt, .command], "the previous completion"),
    Action(
      .complete, [.tab], in: [.form, .setup], "complete a path, or go to the next field",
      hint: "next field"),
    Action(.next, [.down], in: [.form, .setup], "the next field"),
    Action(.previous, [.backTab, .up], in: [.form, .setup], "the previous field"),
    Action(
      .earlier, [.up, .control("p")], in: [.command],
      "the choice above; or else the previous command"),
    Action(
      .later, [.down, .control("n")], in: [.command], "the choice below; or else the next command"),
    Action(.left, [.left, .control("b")], in: Mode.typing, "left"),
    Action(.right, [.right, .control("f")], in: Mode.typing, "right"),
    Action(.lineStart, [.home, .control("a")], in: Mode.lines, "to the start of the line"),
    Action(.lineEnd, [.end, .control("e")], in: Mode.lines, "to the end of the line"),
    // Home and End move in the list.
    Action(.lineStart, [.control("a")], in: [.pick], "to the start of the line"),
    Action(.lineEnd, [.control("e")], in: [.pick], "to the end of the line"),
    Action(
      .deleteBack, [.backspace, .control("h")], in: Mode.typing,
      "delete the character before the cursor"),
    Action(
      .deleteForward, [.delete, .control("d")], in: Mode.typing,
      "delete the character under the cursor"),
    Action(.deleteWord, [.control("w")], in: Mode.typing, "delete a word, or a part of the path"),
    Action(.deleteLine, [.control("u")], in: Mode.typing, "delete up to the cursor"),
  ]

  private static let questions: [Action] = [
    Action(
      .stopAndQuit, ["s", "y"], in: [.quitting],
      "stop what is being sent, keep the queue, and quit", hint: "stop and keep the queue"),
    Action(
      .finishThenQuit, ["f"], in: [.quitting], "quit when everything has been sent",
      hint: "finish, then quit"),
    Action(
      .goOnInBackground, ["b"], in: [.quitting], "quit, and keep sending in the background",
      hint: "go on in the background"),
    Action(
      .finishThese, ["f", "s"], in: [.pausing], "let what is being sent finish, and begin no more",
      hint: "finish these, begin no more"),
    Action(
      .finishThese, ["f"], in: [.breakingOff], "let what is being sent finish, and pause the rest",
      hint: "let it finish"),
    Action(
      .pauseNow, ["p", "y"], in: [.pausing, .breakingOff],
      "break off what is being sent, and pause it", hint: "pause now"),
    Action(.keepAnyway, ["y"], in: [.keepingTarget], "save it as it is", hint: "save it anyway"),
    Action(
      .saveRule, ["y", "s"], in: [.savingRule], "write the rule into the configuration",
      hint: "save the rule"),
    Action(.addAgain, ["a", "y"], in: [.addingAgain], "add them again", hint: "add again"),
    Action(
      .close, [.escape, "c", "n", "q"], in: [.addingAgain], "leave them out", hint: "leave them out"
    ),
    Action(
      .sendAgainNow, ["r", "y"], in: [.sendingAgain], "send it once more", hint: "send again"),
    Action(
      .arrived, ["a"], in: [.sendingAgain], "count it as sent: it is on the server",
      hint: "it has arrived"),
    Action(
      .replaceThere, ["r"], in: [.nameTaken], "send the file, and replace what is there",
      hint: "replace it"),
    Action(.skipThere, ["s"], in: [.nameTaken], "do not send the file", hint: "skip this one"),
    Action(
      .keepBoth, ["b"], in: [.nameTaken], "send the file under another name", hint: "keep both"),
    Action(
      .replaceAllThere, ["R"], in: [.nameTaken],
      "replace it, and do so for all further files of the target"),
    Action(
      .skipAllThere, ["S"], in: [.nameTaken],
      "skip it, and all further files of the target whose names are taken"),
    Action(
      .keepAllBoth, ["B"], in: [.nameTaken],
      "keep both, and do so for all further files of the target"),
    Action(.removeNow, ["y", "x"], in: [.removing], "break it off and remove it", hint: "remove"),
    Action(.deleteNow, ["y", "x"], in: [.deleting], "delete it on the server", hint: "delete"),
    Action(
      .deleteNow, ["y", "x"], in: [.deletingTarget], "remove it from the configuration",
      hint: "delete"),
    Action(
      .close, [.escape, "c", "n", "q"],
      in: Mode.questions.filter { ![.addingAgain, .keepingTarget, .nameTaken].contains($0) },
      "leave it as it is",
      hint: "cancel"),
    Action(
      .close, [.escape, "c", "n", "q"], in: [.keepingTarget], "correct it", hint: "correct it"),
    Action(
      .close, [.escape, "c", "n", "q"], in: [.nameTaken], "leave the files; r asks again",
      hint: "decide later"),
    Action(.accept, [.enter, " "], in: Mode.questions, "press the highlighted button"),
    // Letters are answers only: a question may come while something is typed, and must not be answered by chance.
    Action(.next, [.tab, .right, .down], in: Mode.questions, "the next button"),
    Action(.previous, [.backTab, .left, .up], in: Mode.questions, "the previous button"),
  ]

  private static let leaving: [Action] = [
    Action(
      .close, [.escape, .control("c"), .control("g")], in: Mode.typing,
      "close without changing anything",
      hint: "cancel"),
    Action(.close, [.escape, "q", .enter], in: [.details, .page], "close", hint: "close"),
    Action(.close, [.escape, "q"], in: [.browser], "clear the filter, then close", hint: "close"),
    Action(.close, [.escape, "q"], in: [.menu, .failures], "close", hint: "close"),
    Action(.close, [.escape, "q", .enter], in: [.help], "close", hint: "close"),
    Action(
      .command, [":"], in: Mode.panes, "the command line: these actions by name", hint: "command",
      traits: .keyOnly),
    Action(
      .help, ["?", .function(1)], in: Mode.panes + [.details, .page, .browser, .menu, .failures],
      "this help",
      hint: "help", traits: .visual),
    Action(.quit, ["q"], in: Mode.panes, "quit", hint: "quit"),
    Action(
      .interrupt, [.control("c")], in: Mode.allCases.filter { !Mode.typing.contains($0) },
      "quit; press twice to quit at once", traits: .keyOnly),
    Action(.redraw, [.control("l")], in: Mode.allCases, "redraw the screen", traits: .looks),
    Action(
      .suspend, [.control("z")], in: Mode.allCases, "suspend and go to the shell; fg comes back",
      traits: .visual),
  ]
}
