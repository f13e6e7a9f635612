"""What a service does with Winnow, in one run. `python3 example.py NAME` uses the project
NAME; it prints one line of JSON for each step, which a test reads."""

import json
import sys

from winnow import Problem, Winnow


def main(project: str) -> None:
    memory = Winnow()
    scope = "project:" + project

    def say(step: str, **what: object) -> None:
        print(json.dumps({"step": step, **what}))

    say("caller", principal=memory.caller()["principal"])

    text = f"2026-11-02: `{project}-importer` listens on port 7431."
    receipt = memory.propose(text, scope=scope, wait=30, idempotency_key=project + "-1")
    verdict = receipt["verdict"]
    say("propose", status=verdict["status"], id=verdict.get("id", ""))
    again = memory.propose(text, scope=scope, wait=30, idempotency_key=project + "-1")
    say("again", duplicate=again["duplicate"], same=again["event_id"] == receipt["event_id"])

    found = memory.search("which port does the importer listen on?", project=project, session_id="example")["memories"]
    say("search", ids=[m["id"] for m in found])
    say("memory", content=memory.memory(found[0]["id"], project=project)["content"])
    say("memories", ids=[m["id"] for m in memory.memories(scope=scope, page=1)])
    say("feedback", confidence=memory.feedback(found[0]["id"], True, session_id="example")["new_confidence"])
    say("outcome", recorded=memory.outcome(found[0]["id"], True, session_id="example")["recorded"])
    say("start", tokens=memory.start_session(project=project, session_id="example")["tokens_used"])

    turns = [{"role": "user", "content": "Import the orders."}, {"role": "assistant", "content": "All orders are imported."}]
    say("session", turns=memory.publish_session(turns, session_id="example-" + project, scope=scope, outcome="success")["turns"])

    for name, bad in {
        "unknown": lambda: memory.memory("mem_01JD0000000000000000000000"),
        "field": lambda: memory.search("x", limit=1000),
        "reused": lambda: memory.propose("Something else.", scope=scope, idempotency_key=project + "-1"),
    }.items():
        try:
            bad()
            say(name, status=200)
        except Problem as p:
            say(name, status=p.status, code=p.code, fields=[e["field"] for e in p.errors], request_id=p.request_id != "")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "shop")
