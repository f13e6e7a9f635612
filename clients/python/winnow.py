"""A client of Winnow's HTTP API with nothing but the standard library.

    from winnow import Winnow

    memory = Winnow()  # WINNOW_URL and WINNOW_API_KEY, else winnow dev on this machine
    told = memory.propose("2026-11-02: the importer needs 2 GB of memory.", scope="project:shop", wait=5)
    found = memory.search("how much memory does the importer need?", project="shop")

Every method is one operation of docs/openapi.json and returns its answer as a dict.
Errors of the server are `Problem`s. A request that changes something has an
Idempotency-Key, so it is sent again after 429, 503 and a lost connection without a
second effect.
"""

from __future__ import annotations

import base64
import email.utils
import json
import os
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Optional, TypedDict, Union

__all__ = ["Winnow", "Problem", "Unreachable", "OPERATIONS"]
__version__ = "0.1.0"

# The operations of the contract that this client calls: method and path by id.
OPERATIONS = {
    "create-proposal": ("POST", "/api/proposals"),
    "create-session": ("POST", "/api/sessions"),
    "search-memories": ("GET", "/api/search"),
    "start-session": ("GET", "/api/session-start"),
    "list-memories": ("GET", "/api/memories"),
    "get-memory": ("GET", "/api/memories/{id}"),
    "send-feedback": ("POST", "/api/feedback"),
    "send-outcome": ("POST", "/api/outcomes"),
    "get-caller": ("GET", "/api/caller"),
}


class Verdict(TypedDict, total=False):
    """What became of a proposal. status is recorded, needs_review, duplicate, rejected,
    quarantined, or waiting when it is not decided yet."""

    status: str
    message: str
    id: str
    initial_confidence: float
    proposal_id: str
    related_id: str
    secrets_replaced: int
    next_step: str


class Receipt(TypedDict, total=False):
    event_id: str
    principal: str
    duplicate: bool
    verdict: Verdict


class SessionReceipt(TypedDict, total=False):
    event_id: str
    session_id: str
    session_name: str
    principal: str
    scope: str
    format: str
    duplicate: bool
    turns: int
    skipped: int
    redactions: int
    outcome: str
    outcome_inferred: bool
    note: str


class Found(TypedDict, total=False):
    id: str
    title: str
    description: str
    content: str
    note: str
    outcome: str
    confidence: float
    scope: str
    kind: str
    origin: str
    authority: str
    last_confirmed: str
    usage_count: int
    relevance: float


class SearchAnswer(TypedDict, total=False):
    """What a search found. The texts are data, whatever they say; how_to_read says so to
    a model that is shown them."""

    how_to_read: str
    memories: List[Found]
    memories_end: str
    previews: List[Dict[str, Any]]
    notes: List[str]
    total_found: int
    tokens_used: int
    why: str


class Memory(TypedDict, total=False):
    how_to_read: str
    id: str
    title: str
    description: str
    content: str
    outcome: str
    confidence: float
    scope: str
    kind: str
    origin: str
    authority: str
    state: str
    tags: List[str]
    topics: List[str]
    successor_id: str


class MemoryRow(TypedDict, total=False):
    id: str
    scope: str
    state: str
    kind: str
    preview: str
    topics: List[str]
    tags: List[str]
    confidence: float
    authority: str
    created_at: str
    successor_id: str


class SessionStart(TypedDict, total=False):
    context: str
    memory_ids: List[str]
    tokens_used: int
    omitted: int
    since: str


class Fault(TypedDict):
    field: str
    remedy: str


class Problem(Exception):
    """An error that the server reported (RFC 9457). `code` is stable; `errors` names the
    fields at fault, each with its remedy; `request_id` is in the server's log."""

    def __init__(self, status: int, body: Dict[str, Any]):
        self.status = status
        self.code: str = body.get("code", "")
        self.title: str = body.get("title", "")
        self.detail: str = body.get("detail", "")
        self.errors: List[Fault] = body.get("errors") or []
        self.request_id: str = body.get("request_id", "")
        faults = "; ".join(f"{e.get('field')}: {e.get('remedy')}" for e in self.errors)
        super().__init__(f"{status} {self.detail or self.title}" + (f" ({faults})" if faults else ""))


class Unreachable(Exception):
    """No answer came, after every retry. `__cause__` has the reason."""


class Winnow:
    """One server with one credential. Safe for use by several threads.

    url and key default to WINNOW_URL and WINNOW_API_KEY, then to the address of
    `winnow dev`, which needs no key on its own machine. timeout is in seconds, of one
    attempt. retries is how often a request is sent again.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = 60.0,
        retries: int = 4,
        longest_pause: float = 30.0,
    ):
        self.url = (url or os.environ.get("WINNOW_URL") or "http://127.0.0.1:7420").rstrip("/")
        self.key = key if key is not None else os.environ.get("WINNOW_API_KEY", "")
        self.timeout, self.retries, self.longest_pause = timeout, retries, longest_pause

    def propose(
        self,
        text: str,
        *,
        scope: str,
        wait: Optional[float] = None,
        kind: Optional[str] = None,
        title: Optional[str] = None,
        description: Optional[str] = None,
        outcome: Optional[str] = None,
        confidence: Optional[float] = None,
        tags: Optional[List[str]] = None,
        topics: Optional[List[str]] = None,
        importance: Optional[int] = None,
        origin: Optional[str] = None,
        session_id: Optional[str] = None,
        observed_at: Optional[str] = None,
        source: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Receipt:
        """Proposes a memory. With wait (seconds, at most 30) the receipt has the verdict."""
        body = _sent(
            scope=scope, text=text, kind=kind, title=title, description=description, outcome=outcome, confidence=confidence,
            tags=tags, topics=topics, importance=importance, origin=origin, session_id=session_id, observed_at=observed_at, source=source,
        )  # fmt: skip
        query = {} if wait is None else {"wait": f"{round(wait * 1000)}ms"}
        return self.call("create-proposal", query=query, body=body, idempotency_key=idempotency_key)

    def publish_session(
        self,
        trace: Union[str, bytes, List[Any], Dict[str, Any]],
        *,
        session_id: str,
        scope: Optional[str] = None,
        project: Optional[str] = None,
        task: Optional[str] = None,
        format: Optional[str] = None,
        outcome: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SessionReceipt:
        """Publishes a finished session. trace is what the agent wrote, or messages as lists
        and dicts. Lessons are drawn from it afterwards."""
        if isinstance(trace, (list, dict)):
            trace = json.dumps({"messages": trace} if isinstance(trace, list) else trace)
        raw = trace.encode() if isinstance(trace, str) else trace
        body = _sent(
            session_id=session_id, scope=scope, project=project, task=task, format=format, outcome=outcome,
            inline=base64.b64encode(raw).decode(),
        )  # fmt: skip
        return self.call("create-session", body=body, idempotency_key=idempotency_key)

    def search(
        self,
        query: str,
        *,
        project: Optional[str] = None,
        scope: Optional[str] = None,
        outcome: Optional[str] = None,
        kind: Optional[str] = None,
        topic: Optional[str] = None,
        depth: Optional[str] = None,
        limit: Optional[int] = None,
        min_confidence: Optional[float] = None,
        session_id: Optional[str] = None,
    ) -> SearchAnswer:
        """Finds memories by words and meaning, as seen from the project."""
        return self.call("search-memories", query=_sent(
            q=query, project=project, scope=scope, outcome=outcome, kind=kind, topic=topic, depth=depth, limit=limit,
            min_confidence=min_confidence, session_id=session_id,
        ))  # fmt: skip

    def start_session(self, *, project: Optional[str] = None, session_id: Optional[str] = None, task: Optional[str] = None) -> SessionStart:
        """Returns what to know at the start of a session, as text."""
        return self.call("start-session", query=_sent(project=project, session_id=session_id, task=task))

    def memory(self, id: str, *, project: Optional[str] = None, session_id: Optional[str] = None) -> Memory:
        """Reads one memory in full."""
        return self.call("get-memory", id=id, query=_sent(project=project, session_id=session_id))

    def memories(self, *, scope: Optional[str] = None, kind: Optional[str] = None, state: Optional[str] = None, page: int = 200) -> Iterator[MemoryRow]:
        """Lists memories, the newest first, in requests of one page each."""
        cursor: Optional[str] = None
        while True:
            answer = self.call("list-memories", query=_sent(scope=scope, kind=kind, state=state, limit=page, cursor=cursor))
            yield from answer.get("memories") or []
            cursor = answer.get("next_cursor")
            if not cursor:
                return

    def feedback(
        self, memory_id: str, helpful: bool, *, comment: Optional[str] = None, session_id: Optional[str] = None, idempotency_key: Optional[str] = None
    ) -> Dict[str, Any]:
        """Says whether a memory helped. The answer has new_confidence."""
        body = _sent(memory_id=memory_id, helpful=helpful, comment=comment, session_id=session_id)
        return self.call("send-feedback", body=body, idempotency_key=idempotency_key)

    def outcome(self, memory_id: str, succeeded: bool, *, session_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Says how the task ended in which a memory was used. The answer has new_confidence."""
        body = _sent(memory_id=memory_id, succeeded=succeeded, session_id=session_id)
        return self.call("send-outcome", body=body, idempotency_key=idempotency_key)

    def caller(self) -> Dict[str, Any]:
        """Returns the principal, tenant and permissions of the credential."""
        return self.call("get-caller")

    def call(
        self,
        operation: str,
        *,
        id: str = "",
        query: Optional[Dict[str, Any]] = None,
        body: Optional[Dict[str, Any]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Calls an operation of OPERATIONS, and again where that is safe and may help."""
        method, path = OPERATIONS[operation]
        path = path.replace("{id}", urllib.parse.quote(id, safe=""))
        if query:
            path += "?" + urllib.parse.urlencode({k: _written(v) for k, v in query.items()})
        headers = {"Accept": "application/json", "User-Agent": "winnow-python/" + __version__}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        attempt = 0
        while True:
            request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    return json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as e:
                with e:
                    problem = Problem(e.code, _object(e.read()))
                    after = e.headers.get("Retry-After")
                again = e.code in (429, 503) or problem.code == "request_in_progress"
                if not again or attempt >= self.retries:
                    raise problem from None
            except (urllib.error.URLError, socket.timeout, ConnectionError) as e:
                after = None
                if attempt >= self.retries:
                    raise Unreachable(f"{self.url} does not answer: {e}") from e
            time.sleep(min(self.longest_pause, _pause(after, attempt)))
            attempt += 1


def _sent(**fields: Any) -> Dict[str, Any]:
    return {k: v for k, v in fields.items() if v is not None}


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _object(raw: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {"detail": raw.decode(errors="replace")[:200]}


def _pause(after: Optional[str], attempt: int) -> float:
    """Seconds until the next attempt: as Retry-After says, else doubling from 0.2, with
    some chance so that many clients do not come at once."""
    if after:
        try:
            return max(0.0, float(after))
        except ValueError:
            pass
        try:
            return max(0.0, email.utils.parsedate_to_datetime(after).timestamp() - time.time())
        except (TypeError, ValueError):
            pass
    return 0.2 * 2**attempt * (0.5 + random.random())
