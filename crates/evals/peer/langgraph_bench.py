"""The graph of `bench engine` on LangGraph with its SQLite checkpointer: one JSON line a figure.

Usage: langgraph_bench.py one-run N RUNS | in-flight AT_ONCE ROUNDS

The nodes return the same canned data as ours: ten steps, and the first search brings N results of 2 KB.
SQLite syncs every commit (synchronous = FULL), as ours does; LangGraph leaves that to SQLite's default,
so it is set here to be sure. Checkpoints are written after every step ("sync"), as ours are.
"""

import asyncio
import json
import operator
import os
import sqlite3
import sys
import tempfile
import time
import uuid
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

STEPS = 10
WAIT_SECONDS = 0.05
RESULTS_IN_FLIGHT = 10


class Research(TypedDict):
    queries: list[str]
    results: Annotated[list[dict], operator.add]
    searches: Annotated[int, operator.add]
    findings: Annotated[list[str], operator.add]
    draft: str
    reviews: Annotated[int, operator.add]


EMPTY = {"queries": [], "results": [], "searches": 0, "findings": [], "draft": "", "reviews": 0}


def canned(n):
    return [{"title": f"result {i}", "text": "evidence " * 220} for i in range(n)]


def updates(n):
    """What each node brings, by its name and the state it sees."""
    results = canned(n)
    return {
        "plan": lambda state: {"queries": ["a query of some length"] * 5},
        "search": lambda state: {
            "searches": 1,
            "results": list(results) if state["searches"] == 0 else [],
        },
        "analyse": lambda state: {"findings": ["a finding, said in one sentence of some length"]},
        "write": lambda state: {"draft": "a short draft"},
        "review": lambda state: {"reviews": 1},
        "output": lambda state: {},
    }


def waiting(update):
    async def node(state):
        await asyncio.sleep(WAIT_SECONDS)
        return update(state)

    return node


def graph(n, saver, waits=False):
    builder = StateGraph(Research)
    for name, update in updates(n).items():
        builder.add_node(name, waiting(update) if waits else update)
    builder.add_edge(START, "plan")
    builder.add_edge("plan", "search")
    builder.add_edge("search", "analyse")
    builder.add_conditional_edges(
        "analyse", lambda state: "search" if state["searches"] < 2 else "write", ["search", "write"]
    )
    builder.add_edge("write", "review")
    builder.add_conditional_edges(
        "review", lambda state: "write" if state["reviews"] < 2 else "output", ["write", "output"]
    )
    builder.add_edge("output", END)
    return builder.compile(checkpointer=saver)


def config():
    return {"configurable": {"thread_id": str(uuid.uuid4())}}


def tell(path, runs, **figures):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    figures["bytes_a_run"] = os.path.getsize(path) / runs
    print(json.dumps(figures), flush=True)


def one_run(n, runs, path):
    connection = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("PRAGMA synchronous = FULL")
    app = graph(n, saver)
    app.invoke(dict(EMPTY), config(), durability="sync")
    begun = time.perf_counter()
    for _ in range(runs):
        app.invoke(dict(EMPTY), config(), durability="sync")
    took = time.perf_counter() - begun
    connection.close()
    tell(path, runs + 1, steps_per_second=runs * STEPS / took)


async def in_flight(at_once, rounds, path):
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous = FULL")
        app = graph(RESULTS_IN_FLIGHT, saver, waits=True)

        async def worker():
            for _ in range(rounds):
                await app.ainvoke(dict(EMPTY), config(), durability="sync")

        begun = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(at_once)))
        took = time.perf_counter() - begun
    tell(path, at_once * rounds, runs_per_second=at_once * rounds / took)


def main():
    part, first, second = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "peer.db")
        if part == "one-run":
            one_run(first, second, path)
        else:
            asyncio.run(in_flight(first, second, path))


main()
