extension Action {
  /// All actions; within a mode the order is that of the footer and of the help overlay.
  public static let all: [Action] =
    onServer + queue + panes + moving + browser + typing + questions + leaving

  private static let onServer: [Action] = [
    Action(
      .delete, in: [.server], keys: ["x", .delete], help: "delete on the server", hint: "delete")
  ]

  private static let queue: [Action] = [
    Action(
      .add, in: [.queue], keys: ["a"], help: "add files by path", hint: "add", argument: "PATH…",
      footer: 1),
    Action(
      .browse, in: [.queue], keys: ["b"], help: "add files from a list", hint: "browse", footer: 9,
      traits: [.visual]),
    Action(
      .details, in: [.queue, .history], keys: [.enter],
      help: "everything about the file and its failure", hint: "details", argument: "[FILE…]",
      footer: 4),
    Action(
      .retry, in: [.queue, .details], keys: ["r"], help: "send a failed file again",
      hint: "retry", argument: "[FILE…]", footer: 3, traits: [.edits]),
    Action(
      .remove, in: [.queue], keys: ["x", .delete], help: "remove from the queue", hint: "remove",
      argument: "[FILE…]", footer: 8, traits: [.edits]),
    Action(
      .retryAll, in: [.queue], keys: ["R"], help: "retry all failed files, and try the server now",
      hint: "retry all", footer: 10, traits: [.edits]),
    Action(
      .pause, in: [.queue], keys: ["p"], help: "pause or go on with a file", hint: "pause",
      argument: "[FILE…]", footer: 6, traits: [.edits]),
    Action(
      .pauseAll, in: [.queue], keys: ["P"], help: "pause or go on with all files", traits: [.edits]),
    Action(
      .startStop, in: [.queue], keys: ["s"],
      help: "stop: begin no more files; once more: go on", hint: "stop", footer: 2),
    Action(
      .edit, in: [.queue], keys: ["e"], help: "change name, type, field or target", hint: "edit",
      argument: "[FILE…]", footer: 7, traits: [.edits, .visual]),
    Action(
      .limit, in: [.queue], keys: ["u"], help: "limit the bandwidth", hint: "limit",
      argument: "SPEED", footer: 13),
    Action(
      .lanes, in: [.queue], keys: [], help: "how many files are sent at once to the target",
      argument: "NUMBER"
    ),
    Action(
      .moreLanes, in: [.queue], keys: ["+"], help: "send one more at once to the target",
      traits: [.visual]),
    Action(
      .fewerLanes, in: [.queue], keys: ["-"], help: "send one fewer at once to the target",
      traits: [.visual]),
    Action(
      .target, in: [.queue, .server, .history], keys: ["t"],
      help: "choose, or make, the target of files added from now on",
      hint: "target", argument: "NAME", footer: 12),
    Action(
      .clear, in: [.queue], keys: ["c"], help: "clear what is done", hint: "clear", footer: 15,
      traits: [.edits]),
    Action(
      .mark, in: Mode.marked + [.browser], keys: [" "], help: "mark, for what is asked next",
      hint: "mark", footer: 16, traits: [.visual]),
    Action(
      .markRange, in: Mode.marked, keys: ["V"], help: "mark all from here to where you go",
      traits: [.looks, .visual]),
    Action(
      .markAll, in: Mode.marked + [.browser], keys: [.control("a")], help: "mark all",
      traits: [.visual]),
    Action(
      .invertMarks, in: Mode.marked + [.browser], keys: [.control("r")],
      help: "mark what is not marked", traits: [.visual]),
    Action(
      .clearMarks, in: Mode.marked, keys: [.escape], help: "clear the marks, then the filter",
      traits: [.visual]),
    Action(.moveDown, in: [.queue], keys: ["J"], help: "send later", traits: [.edits, .visual]),
    Action(.moveUp, in: [.queue], keys: ["K"], help: "send sooner", traits: [.edits, .visual]),
    Action(.moveToTop, in: [.queue], keys: ["T"], help: "send first", traits: [.edits, .visual]),
    Action(
      .sort, in: [.queue], keys: ["o"], help: "sort the queue, and so the order of sending",
      hint: "sort", argument: "ORDER", footer: 14, traits: [.edits]),
    Action(
      .undo, in: [.queue], keys: ["z"], help: "undo the last edit of the queue", hint: "undo",
      footer: 11, traits: [.edits]),
    Action(.redo, in: [.queue], keys: ["Z"], help: "redo what was undone", traits: [.edits]),
    Action(
      .filter, in: Mode.marked + [.browser], keys: ["f"], help: "show only names that hold a text",
      argument: "[TEXT]"),
    Action(
      .find, in: Mode.marked, keys: ["/"], help: "go to the next name that holds a text",
      argument: "TEXT", traits: [.looks, .visual]),
    Action(
      .findNext, in: Mode.marked, keys: ["n"], help: "the next one found",
      traits: [.looks, .visual]),
    Action(
      .findPrevious, in: Mode.marked, keys: ["N"], help: "the one found before",
      traits: [.looks, .visual]),
  ]

  private static let panes: [Action] = [
    Action(
      .copyURL, in: [.queue, .details, .server, .history], keys: ["y"],
      help: "copy the file's URL on the server", hint: "copy URL", footer: 5),
    Action(
      .copyAsCurl, in: [.queue, .details], keys: ["Y"],
      help: "copy a curl command that sends the file, without secrets"),
    Action(
      .openURL, in: [.queue, .details, .server, .history], keys: ["O"],
      help: "open the file's URL in the browser"),
    Action(
      .deleteUploaded, in: [.queue, .details, .history], keys: ["D"],
      help: "delete the file on the server, at the address that its reply named"),
    Action(
      .sendAgain, in: [.history], keys: ["r"], help: "send the file once more", hint: "send again"),
    Action(
      .refresh, in: [.server], keys: ["r", .function(5)], help: "ask for the list again",
      hint: "list again"),
    Action(.refresh, in: [.history], keys: [.function(5)], help: "ask for the list again"),
    Action(
      .order, in: [.history], keys: ["o"], help: "by time, by name, or failures first", hint: "sort"
    ),
    Action(
      .server, in: Mode.panes, keys: ["2", "L"], help: "what is on the server", traits: [.visual]),
    Action(.history, in: Mode.panes, keys: ["3"], help: "what was sent before", traits: [.visual]),
    Action(
      .log, in: Mode.panes, keys: ["4"], help: "what happened in this session", traits: [.visual]),
    Action(.queue, in: Mode.panes, keys: ["1"], help: "the queue", traits: [.visual]),
    Action(.nextPane, in: Mode.panes, keys: [.tab], help: "the next pane", traits: [.visual]),
    Action(
      .previousPane, in: Mode.panes, keys: [.backTab], help: "the pane before", traits: [.visual]),
  ]

  private static let moving: [Action] = [
    Action(
      .down, in: Mode.lists + Mode.reading, keys: ["j", .down], help: "down",
      traits: [.looks, .visual]),
    Action(
      .up, in: Mode.lists + Mode.reading, keys: ["k", .up], help: "up", traits: [.looks, .visual]),
    Action(
      .pageDown, in: Mode.lists + Mode.reading, keys: [.control("d"), .pageDown],
      help: "a page down", traits: [.looks, .visual]),
    Action(
      .pageUp, in: Mode.lists + Mode.reading, keys: [.control("u"), .pageUp], help: "a page up",
      traits: [.looks, .visual]),
    Action(
      .top, in: Mode.lists + Mode.reading, keys: ["g", .home], help: "to the top",
      traits: [.looks, .visual]),
    Action(
      .bottom, in: Mode.lists + Mode.reading, keys: ["G", .end], help: "to the bottom",
      traits: [.looks, .visual]),
  ]

  private static let browser: [Action] = [
    Action(
      .open, in: [.browser], keys: [.enter, .right, "l"],
      help: "open the folder; add the file, or all that is marked", hint: "open"),
    Action(
      .add, in: [.browser], keys: ["a"], help: "add what is marked, or is under the cursor",
      hint: "add"),
    Action(
      .parent, in: [.browser], keys: [.left, "h", .backspace], help: "the folder above", hint: "up"),
    Action(
      .toggleHidden, in: [.browser], keys: ["."], help: "show or hide names that begin with a dot",
      hint: "hidden"),
    Action(
      .order, in: [.browser], keys: ["o"], help: "by name, newest first, or largest first",
      hint: "sort"),
    Action(
      .find, in: [.help], keys: ["/"], help: "show only what holds a text", hint: "look for"),
    Action(
      .find, in: [.browser], keys: ["/"], help: "show only names that hold a text", hint: "filter"),
    Action(.accept, in: [.menu], keys: [.enter, .right, "l", " "], help: "take it", hint: "take"),
    Action(.accept, in: [.pick], keys: [.enter], help: "take it", hint: "take"),
    Action(.down, in: [.pick], keys: [.down, .control("n"), .tab], help: "down", hint: "down"),
    Action(.up, in: [.pick], keys: [.up, .control("p"), .backTab], help: "up"),
  ]

  private static let typing: [Action] = [
    Action(.accept, in: [.prompt], keys: [.enter], help: "add what is typed", hint: "add"),
    Action(.accept, in: [.command], keys: [.enter], help: "do what is typed", hint: "do"),
    Action(.accept, in: [.find], keys: [.enter], help: "keep it", hint: "keep"),
    Action(.accept, in: [.form], keys: [.enter], help: "change the file", hint: "change"),
    Action(
      .accept, in: [.setup], keys: [.enter], help: "try the target and write it down",
      hint: "try it and go on"),
    Action(.accept, in: [.limit], keys: [.enter], help: "limit to what is typed", hint: "limit"),
    Action(
      .complete, in: [.prompt, .command], keys: [.tab], help: "complete what is typed",
      hint: "complete"),
    Action(
      .completeBack, in: [.prompt, .command], keys: [.backTab],
      help: "back through the completions"),
    Action(
      .next, in: [.form, .setup], keys: [.tab, .down], help: "the next field", hint: "next field"),
    Action(.previous, in: [.form, .setup], keys: [.backTab, .up], help: "the field before"),
    Action(.earlier, in: [.command], keys: [.up, .control("p")], help: "the command before"),
    Action(.later, in: [.command], keys: [.down, .control("n")], help: "the command after"),
    Action(.left, in: Mode.typing, keys: [.left, .control("b")], help: "left"),
    Action(.right, in: Mode.typing, keys: [.right, .control("f")], help: "right"),
    Action(
      .lineStart, in: Mode.typing, keys: [.home, .control("a")], help: "to the start of the line"),
    Action(.lineEnd, in: Mode.typing, keys: [.end, .control("e")], help: "to the end of the line"),
    Action(
      .deleteBack, in: Mode.typing, keys: [.backspace, .control("h")],
      help: "delete the character before the cursor"),
    Action(
      .deleteForward, in: Mode.typing, keys: [.delete, .control("d")],
      help: "delete the character under the cursor"),
    Action(
      .deleteWord, in: Mode.typing, keys: [.control("w")],
      help: "delete a word, or a part of the path"),
    Action(.deleteLine, in: Mode.typing, keys: [.control("u")], help: "delete up to the cursor"),
  ]

  private static let questions: [Action] = [
    Action(
      .stopAndQuit, in: [.quitting], keys: ["s", "y"],
      help: "stop what is being sent, keep the queue, and quit", hint: "stop and keep the queue"),
    Action(
      .finishThenQuit, in: [.quitting], keys: ["f"], help: "quit when everything has been sent",
      hint: "finish, then quit"),
    Action(
      .goOnInBackground, in: [.quitting], keys: ["b"],
      help: "quit, and go on sending in the background", hint: "go on in the background"),
    Action(
      .finishThese, in: [.pausing], keys: ["f", "s"],
      help: "let what is being sent finish, and begin no more",
      hint: "finish these, begin no more"),
    Action(
      .finishThese, in: [.breakingOff], keys: ["f"],
      help: "let what is being sent finish, and pause the rest", hint: "let it finish"),
    Action(
      .pauseNow, in: [.pausing, .breakingOff], keys: ["p", "y"],
      help: "break off what is being sent, and pause it", hint: "pause now"),
    Action(
      .addAgain, in: [.addingAgain], keys: ["a", "y"], help: "add them once more", hint: "add again"
    ),
    Action(
      .close, in: [.addingAgain], keys: [.escape, "c", "n", "q"], help: "leave them out",
      hint: "leave them out"),
    Action(
      .removeNow, in: [.removing], keys: ["y", "x"], help: "break it off and remove it",
      hint: "remove"),
    Action(
      .deleteNow, in: [.deleting], keys: ["y", "x"], help: "delete it on the server",
      hint: "delete"),
    Action(
      .close, in: Mode.questions.filter { $0 != .addingAgain }, keys: [.escape, "c", "n", "q"],
      help: "leave it as it is",
      hint: "cancel"),
    Action(.accept, in: Mode.questions, keys: [.enter, " "], help: "the button that is lit"),
    Action(
      .next, in: Mode.questions, keys: [.tab, .right, .down, "l", "j"], help: "the next button"),
    Action(
      .previous, in: Mode.questions, keys: [.backTab, .left, .up, "h", "k"],
      help: "the button before"),
  ]

  private static let leaving: [Action] = [
    Action(
      .close, in: Mode.typing, keys: [.escape, .control("c"), .control("g")],
      help: "close and change nothing", hint: "cancel"),
    Action(
      .close, in: [.details, .page], keys: [.escape, "q", .enter], help: "close", hint: "close"),
    Action(
      .close, in: [.browser], keys: [.escape, "q"], help: "take the filter away, then close",
      hint: "close"),
    Action(.close, in: [.menu], keys: [.escape, "q"], help: "close", hint: "close"),
    Action(.close, in: [.help], keys: [.escape, "q", .enter, "?"], help: "close", hint: "close"),
    Action(
      .command, in: Mode.panes, keys: [":"], help: "the command line: these actions by name",
      hint: "command", traits: [.visual]),
    Action(
      .help, in: Mode.panes + [.details, .page, .browser, .menu], keys: ["?", .function(1)],
      help: "this help",
      hint: "help", traits: [.visual]),
    Action(.quit, in: Mode.panes, keys: ["q"], help: "quit", hint: "quit"),
    Action(
      .interrupt, in: Mode.allCases.filter { !Mode.typing.contains($0) }, keys: [.control("c")],
      help: "quit; twice: at once", traits: [.visual]),
    Action(
      .redraw, in: Mode.allCases, keys: [.control("l")], help: "paint the screen again",
      traits: [.looks, .visual]),
    Action(
      .suspend, in: Mode.allCases, keys: [.control("z")],
      help: "stop and go to the shell; fg comes back", traits: [.visual]),
  ]
}
