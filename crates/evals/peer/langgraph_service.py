"""Answers on LangGraph behind FastAPI: `POST /run` over the world of `bench service`. Prints its address and serves.

Plan, search, reflect, write: each outside call of ours, in the same order. What a search found and what a page says is kept
for the runs that follow, as with ours. Nothing else is done: no passages, no ranking, no citations. Every step is synced
to SQLite before the next begins, as ours is. One process of uvicorn.
"""

import asyncio
import os
import socket
import tempfile
import uuid
from contextlib import asynccontextmanager
from typing import TypedDict

import httpx
import uvicorn
from fastapi import FastAPI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

MODEL = os.environ["OPENAI_BASE_URL"]
SEARCH = os.environ["FATHOM_SEARXNG_URL"]

client = httpx.AsyncClient(limits=httpx.Limits(max_connections=1000), timeout=600)
results: dict[str, list[dict]] = {}
pages: dict[str, str] = {}


class Research(TypedDict, total=False):
    task: str
    queries: list[str]
    sources: list[dict]
    analysis: str
    draft: str


async def ask(judgement: str, words: str) -> str:
    body = {
        "model": "scripted",
        "messages": [{"role": "user", "content": words}],
        "response_format": {"type": "json_schema", "json_schema": {"name": judgement, "schema": {}}},
    }
    reply = await client.post(f"{MODEL}/chat/completions", json=body)
    reply.raise_for_status()
    return reply.json()["choices"][0]["message"]["content"]


async def look(query: str) -> list[dict]:
    if query not in results:
        found = await client.get(f"{SEARCH}/search", params={"q": query, "format": "json"})
        found.raise_for_status()
        results[query] = found.json()["results"]
    return results[query]


async def read(address: str) -> str:
    if address not in pages:
        got = await client.get(address)
        got.raise_for_status()
        pages[address] = got.text
    return pages[address]


async def plan(state: Research) -> Research:
    await ask("plan", state["task"])
    return {"queries": [f"street trees {aspect}" for aspect in ("cooling", "water", "cost")]}


async def search(state: Research) -> Research:
    found = await asyncio.gather(*(look(query) for query in state["queries"]))
    by_address = {one["url"]: one for results in found for one in results}
    texts = await asyncio.gather(*(read(address) for address in by_address))
    sources = [{**one, "text": text} for one, text in zip(by_address.values(), texts)]
    return {"sources": sources}


def passages(state: Research) -> str:
    numbered = enumerate((source["text"] for source in state["sources"]), 1)
    return "\n".join(f"({number}) page: {text}" for number, text in numbered)


async def reflect(state: Research) -> Research:
    return {"analysis": await ask("analysis", f"{state['task']}\n{passages(state)}")}


async def write(state: Research) -> Research:
    return {"draft": await ask("sentences", f"{state['task']}\n{passages(state)}")}


def graph(saver: AsyncSqliteSaver):
    builder = StateGraph(Research)
    for name, node in [("plan", plan), ("search", search), ("reflect", reflect), ("write", write)]:
        builder.add_node(name, node)
    for one, other in [(START, "plan"), ("plan", "search"), ("search", "reflect"), ("reflect", "write"), ("write", END)]:
        builder.add_edge(one, other)
    return builder.compile(checkpointer=saver)


@asynccontextmanager
async def lifespan(app: FastAPI):
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(os.path.join(folder, "peer.db")) as saver:
            await saver.setup()
            await saver.conn.execute("PRAGMA synchronous = FULL")
            app.state.graph = graph(saver)
            yield


app = FastAPI(lifespan=lifespan)


class Task(BaseModel):
    task: str
    complexity_tier: str | None = None
    max_execution_time_s: int | None = None


@app.post("/run")
async def run(task: Task) -> dict:
    config = {"configurable": {"thread_id": str(uuid.uuid4())}}
    state = await app.state.graph.ainvoke({"task": task.task}, config, durability="sync")
    return {"final_answer": state["draft"], "sources": state["sources"], "degraded_mode": False}


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
    print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    server.run(sockets=[listener])


main()
