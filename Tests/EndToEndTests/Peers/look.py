"""Opens a page in a light and in a dark browser, and says what a person sees there.

  look.py FILE [PICTURES]
Prints JSON: the page's text, its links, its background in light and dark, what it asked for, what was wrong with it.
PICTURES is a folder for what it looks like.
"""

import asyncio
import base64
import json
import pathlib
import re
import sys

import chromium


async def look(file, pictures=None):
    async with chromium.tab() as page:
        for domain in ("Network", "Log", "CSS"):
            await page.ask(f"{domain}.enable")
        await page.ask("Page.navigate", url=pathlib.Path(file).resolve().as_uri())
        events = await page.loaded()
        body = await page.find("body")
        html = (await page.ask("DOM.getOuterHTML", nodeId=body))["outerHTML"]
        links = await page.ask("DOM.querySelectorAll", nodeId=body, selector="a")
        addresses = []
        for link in links["nodeIds"]:
            attributes = (await page.ask("DOM.getAttributes", nodeId=link))["attributes"]
            addresses.append(dict(zip(attributes[::2], attributes[1::2]))["href"])
        backgrounds = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            await page.ask("Emulation.setEmulatedMedia", features=[feature])
            style = await page.ask("CSS.getComputedStyleForNode", nodeId=body)
            style = {entry["name"]: entry["value"] for entry in style["computedStyle"]}
            backgrounds.append(style["background-color"])
            if pictures:
                picture = await page.ask("Page.captureScreenshot", captureBeyondViewport=True)
                pathlib.Path(pictures, f"{scheme}.png").write_bytes(
                    base64.b64decode(picture["data"]))
        named = {}
        for event in events + page.events:
            named.setdefault(event.get("method"), []).append(event["params"])
        requests = [event["request"]["url"] for event in named.get("Network.requestWillBeSent", [])]
        faults = [event["entry"]["text"] for event in named.get("Log.entryAdded", [])]
        print(json.dumps({
            "text": re.sub(r"\s*<[^>]*>\s*", "\n", html), "links": addresses,
            "backgrounds": backgrounds, "requests": requests, "faults": faults}))


if __name__ == "__main__":
    asyncio.run(look(*sys.argv[1:]))
