"""A tus server that is not ours: tus_server.py tuspyserver|aiohttp FOLDER. Says "port N" when it listens."""
import logging
import pathlib
import socket
import sys

kind, folder = sys.argv[1:]
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
logging.disable(logging.WARNING)

if kind == "tuspyserver":
    import uvicorn
    from fastapi import FastAPI
    from tuspyserver import create_tus_router

    app = FastAPI()
    app.include_router(create_tus_router(prefix="files", files_dir=folder, max_size=1 << 40))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    print("port", listener.getsockname()[1], flush=True)
    server.run(sockets=[listener])
else:
    from aiohttp import web
    from aiohttp_tus import setup_tus

    # It takes each request into memory, and nothing of one that breaks off.
    app = setup_tus(web.Application(client_max_size=1 << 30), upload_path=pathlib.Path(folder), upload_url="/files")
    print("port", listener.getsockname()[1], flush=True)
    web.run_app(app, sock=listener, print=None, handle_signals=False)
