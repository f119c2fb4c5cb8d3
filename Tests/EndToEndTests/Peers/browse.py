"""Sends files with the page of a receiver, as a person with a browser does.

  browse.py URL FILE...
Prints the text of the page that comes after.
"""

import asyncio
import pathlib
import re
import sys

import chromium


async def browse(url, files):
    async with chromium.tab() as page:
        await page.ask("Page.navigate", url=url)
        await page.loaded()
        await page.ask(
            "DOM.setFileInputFiles", files=files, nodeId=await page.find("input[type=file]"))
        await page.click("form button")
        await page.loaded()
        html = await page.ask("DOM.getOuterHTML", nodeId=await page.find("body"))
        print(re.sub(r"\s*<[^>]*>\s*", "\n", html["outerHTML"]))


if __name__ == "__main__":
    url, *files = sys.argv[1:]
    asyncio.run(browse(url, [str(pathlib.Path(file).resolve()) for file in files]))
