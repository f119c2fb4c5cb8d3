"""A tab of Chromium without a window, scripts off, for the programs beside this one."""

import asyncio
import contextlib
import json
import re
import subprocess
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
            self.events.append(message)

    async def loaded(self):
        """Waits until the page is there, and returns the events until then."""
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(await self.receive())
        events, self.events = self.events, []
        return events

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


@contextlib.asynccontextmanager
async def tab():
    """Starts Chromium, and ends it."""
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
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{found[1]}/json/list") as reply:
                    tabs = [tab for tab in await reply.json() if tab["type"] == "page"]
                address = tabs[0]["webSocketDebuggerUrl"]
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    page = Page(socket)
                    for domain in ("Page", "DOM"):
                        await page.ask(f"{domain}.enable")
                    await page.ask("Emulation.setScriptExecutionDisabled", value=True)
                    yield page
        finally:
            chromium.kill()
            chromium.wait()
