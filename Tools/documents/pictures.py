#!/usr/bin/env python3
"""Takes the pictures of the README and of docs/screen.md: runs hoist in tmux, captures what it shows, and writes it as SVG.

    pictures.py HOIST FOLDER-FOR-THE-PICTURES
"""
import html, os, re, subprocess, sys, tempfile, time

HOIST, PICTURES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COLUMNS, ROWS = 100, 26
WIDE = (164, 44)
SMALL = (90, 20)
# With the backgrounds of their pictures; that of the first two is the terminal's.
THEMES = {
    "dark": "#1c1f26", "light": "#ffffff", "nord": "#2e3440", "gruvbox": "#282828", "dracula": "#282a36",
    "solarized": "#fdf6e3", "rose-pine": "#191724", "contrast": "#000000",
}
CELL, LINE = 8.4, 18
# The colours of the usual eight and their bright ones, on a dark ground.
COLORS = ["#1c1f26", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dcdfe4"]
GROUND, INK = "#1c1f26", "#dcdfe4"
# Of a terminal with a light background.
DARK_INK = "#24292f"


class Terminal:
    def __init__(self, folder):
        self.name = f"hoist-pictures-{os.getpid()}"
        self.size = (COLUMNS, ROWS)
        environment = dict(os.environ, HOME=folder, LANG="C.UTF-8", PS1="$ ", COLORTERM="truecolor")
        environment.pop("NO_COLOR", None)
        self.tmux(
            "-f", "/dev/null", "-u", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS),
            "-c", folder, "bash", "--norc", "--noprofile", environment=environment)

    def tmux(self, *arguments, environment=None):
        return subprocess.run(
            ["tmux", "-L", self.name, *arguments], env=environment, check=True,
            capture_output=True, text=True).stdout

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def wait(self, text):
        end = time.time() + 60
        while text not in self.tmux("capture-pane", "-p"):
            if time.time() > end:
                sys.exit(f"waited in vain for {text!r}:\n{self.tmux('capture-pane', '-p')}")
            time.sleep(0.05)

    def resize(self, columns, rows):
        self.size = (columns, rows)
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def picture(self, name, title, ground=GROUND, ink=INK):
        lines = self.tmux("capture-pane", "-p", "-e", "-N").split("\n")[:self.size[1]]
        with open(f"{PICTURES}/{name}.svg", "w") as file:
            file.write(svg(lines, title, *self.size, ground, ink))
        print(f"{PICTURES}/{name}.svg")


def width(character):
    import unicodedata
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def spans(line, look):
    """The pieces of a line with the look of each: (text, look). A line goes on in the look that the one before ends in."""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not codes:
            if piece:
                yield piece.replace("\x0f", ""), dict(look)
            continue
        words = [int(word or 0) for word in codes[1].split(";")]
        while words:
            code = words.pop(0)
            if code == 0:
                look.clear()
            elif code in (39, 49):
                look.pop({39: "color", 49: "ground"}[code], None)
            elif 30 <= code <= 37:
                look["color"] = COLORS[code - 30]
            elif 90 <= code <= 97:
                look["color"] = COLORS[code - 90]
            elif code in (38, 48) and words[0] == 2:
                look[{38: "color", 48: "ground"}[code]] = "#%02x%02x%02x" % tuple(words[1:4])
                del words[:4]
            elif code in (1, 2, 4, 7):
                look[code] = True
            elif code in (22, 24, 27):
                for off in {22: (1, 2), 24: (4,), 27: (7,)}[code]:
                    look.pop(off, None)


def svg(lines, title, columns, rows, page, plain):
    box = (columns * CELL + 24, rows * LINE + 24)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box[0]:g} {box[1]:g}" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{page}"/>',
        f'<g font-family="DejaVu Sans Mono,Cascadia Mono,ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="{plain}">',
    ]
    pen = {}
    for row, line in enumerate(lines):
        column = 0
        for text, look in spans(line, pen):
            cells = sum(map(width, text))
            x, y = 12 + column * CELL, 12 + row * LINE
            ink, ground = look.get("color", plain), look.get("ground", page)
            if look.get(7):
                ink, ground = ground, ink
            if ground != page:
                # A little wider, so that no gap shows between two.
                out.append(
                    f'<rect x="{x:g}" y="{y:g}" width="{cells * CELL + 0.4:g}" height="{LINE + 0.4:g}" fill="{ground}"/>')
            if text.strip():
                style = f' fill="{ink}"' if ink != plain else ""
                style += ' font-weight="bold"' if look.get(1) else ""
                style += ' opacity="0.6"' if look.get(2) else ""
                style += ' text-decoration="underline"' if look.get(4) else ""
                out.append(
                    f'<text x="{x:g}" y="{y + 14:g}" textLength="{cells * CELL:g}" '
                    f'xml:space="preserve"{style}>{html.escape(text)}</text>')
            column += cells
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    os.makedirs(PICTURES, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sizes = {
            "IMG_0001.jpg": 3_200_000, "IMG_0002.jpg": 2_900_000, "report.pdf": 812_000,
            "notes.txt": 1_100, "clip.mp4": 60_000_000, "disk.img": 400_000_000,
            "Übersicht.png": 1_900_000, "backup.tar.gz": 90_000_000,
        }
        for name, size in sizes.items():
            with open(f"{folder}/{name}", "wb") as file:
                file.truncate(size)
        receiver = subprocess.Popen(
            [HOIST, "receive", "--port", "0", "--dir", "inbox", "--max-file-bytes", "100000000"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        terminal = Terminal(folder)
        try:
            for line in receiver.stdout:
                found = re.search(r"receiving on (http:\S+) into", line)
                if found:
                    break
            os.makedirs(f"{folder}/.config/hoist")
            with open(f"{folder}/.config/hoist/config.toml", "w") as file:
                file.write(f'default_target = "photos"\n[targets.photos]\nurl = "{found[1]}"\n'
                           'rate_limit = "6 MB/s"\nconcurrency = 3\n[theme]\nbase = "dark"\n')
            terminal.type(f"{HOIST} *.* missing.txt\n")
            terminal.wait("3 active")
            terminal.wait("✓ IMG_0002.jpg")
            terminal.wait("✗ missing.txt")
            time.sleep(4)
            terminal.picture("queue", "The queue while files are sent")
            terminal.resize(*SMALL)
            terminal.press("g", "Space", "Space")
            for name, ground in THEMES.items():
                terminal.type(f":theme {name}\n")
                time.sleep(1)
                terminal.picture(
                    f"theme-{name}", f"The theme {name}", ground, DARK_INK if name == "light" else INK)
            terminal.type(":theme dark\n:clear-marks\n")
            terminal.resize(*WIDE)
            terminal.press("G")
            terminal.wait("Throughput")
            terminal.wait("There is no file at this path")
            time.sleep(8)
            terminal.picture("wide", "A wide window: details beside the queue, the throughput below it")
            terminal.resize(COLUMNS, ROWS)
            terminal.wait("Enter details")
            terminal.type(":limit off\n")
            terminal.wait("✗ disk.img")
            terminal.press("/")
            terminal.type("disk\n")
            terminal.press("Enter")
            terminal.wait("The request would be:")
            terminal.picture("details", "Everything about a file that was refused")
            terminal.press("q", "b")
            terminal.wait("backup.tar.gz")
            terminal.press("j", "j", "Space", "Space")
            terminal.wait(" marked ")
            terminal.picture("browse", "The list from which files are added")
            terminal.press("q", "3")
            terminal.wait("History")
            terminal.wait("✓ ")
            terminal.picture("history", "What was sent before")
        finally:
            terminal.tmux("kill-server")
            receiver.terminate()
            receiver.wait()
            # hoist ends a moment after its terminal; what it still writes is not worth a failure.
            time.sleep(1)


main()
