"""Sends files with the page of a receiver, as a person with a browser does: Chromium, scripts off.

  browse.py URL FILE...
Prints the text of the page that comes after.
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import aiohttp


class Page:
    """A tab, by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)."""

    def __init__(self, socket):
        self.socket, self.number, self.events = socket, 0, []

    async def receive(self):
        return json.loads((await asyncio.wait_for(self.socket.receive(), 60)).data)

    async def ask(self, method, **parameters):
        self.number += 1
        await self.socket.send_json({"id": self.number, "method": method, "params": parameters})
        while True:
            message = await self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message.get("method"))

    async def loaded(self):
        while "Page.loadEventFired" not in self.events:
            self.events.append((await self.receive()).get("method"))
        self.events.clear()

    async def find(self, selector):
        root = (await self.ask("DOM.getDocument"))["root"]["nodeId"]
        node = (await self.ask("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
        if not node:
            raise RuntimeError(f"the page has no {selector}")
        return node

    async def click(self, selector):
        box = await self.ask("DOM.getBoxModel", nodeId=await self.find(selector))
        x, y, *_, right, bottom, _, _ = box["model"]["content"]
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask(
                "Input.dispatchMouseEvent", type=kind, x=(x + right) / 2, y=(y + bottom) / 2,
                button="left", clickCount=1)


async def browse(port, url, files):
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/json/list") as reply:
            tabs = [tab for tab in await reply.json() if tab["type"] == "page"]
        async with session.ws_connect(tabs[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            page = Page(socket)
            await page.ask("Page.enable")
            await page.ask("DOM.enable")
            await page.ask("Emulation.setScriptExecutionDisabled", value=True)
            await page.ask("Page.navigate", url=url)
            await page.loaded()
            await page.ask(
                "DOM.setFileInputFiles", files=files, nodeId=await page.find("input[type=file]"))
            await page.click("form button")
            await page.loaded()
            html = await page.ask("DOM.getOuterHTML", nodeId=await page.find("body"))
            print(re.sub(r"\s*<[^>]*>\s*", "\n", html["outerHTML"]))


def main(url, *files):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        chromium = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", f"--user-data-dir={home}",
             "--remote-debugging-port=0", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            for line in chromium.stderr:
                if found := re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", line):
                    break
            else:
                raise RuntimeError("Chromium did not start")
            files = [str(pathlib.Path(file).resolve()) for file in files]
            asyncio.run(browse(int(found[1]), url, files))
        finally:
            chromium.kill()
            chromium.wait()


main(*sys.argv[1:])
