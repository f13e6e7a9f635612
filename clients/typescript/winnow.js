// A client of Winnow's HTTP API with nothing but fetch. Types: winnow.d.ts.
// It runs in Node 20 and later, Deno, Bun and workers.

/** The operations of the contract that this client calls: method and path by id. */
export const OPERATIONS = Object.freeze({
  "create-proposal": ["POST", "/api/proposals"],
  "create-session": ["POST", "/api/sessions"],
  "search-memories": ["GET", "/api/search"],
  "start-session": ["GET", "/api/session-start"],
  "list-memories": ["GET", "/api/memories"],
  "get-memory": ["GET", "/api/memories/{id}"],
  "send-feedback": ["POST", "/api/feedback"],
  "send-outcome": ["POST", "/api/outcomes"],
  "get-caller": ["GET", "/api/caller"],
});

/** An error that the server reported (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    const errors = body.errors ?? [];
    const faults = errors.map((e) => `${e.field}: ${e.remedy}`).join("; ");
    super(`${status} ${body.detail ?? body.title ?? ""}${faults && ` (${faults})`}`);
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? "";
    this.title = body.title ?? "";
    this.detail = body.detail ?? "";
    this.errors = errors;
    this.requestId = body.request_id ?? "";
  }
}

/** No answer came, after every retry; cause has the reason. */
export class Unreachable extends Error {
  constructor(url, cause) {
    super(`${url} does not answer: ${cause?.message ?? cause}`, { cause });
    this.name = "Unreachable";
  }
}

const environment = (name) => globalThis.process?.env?.[name] ?? "";

export class Winnow {
  constructor({ url, key, timeout = 60_000, retries = 4, longestPause = 30_000, fetch = globalThis.fetch } = {}) {
    this.url = (url || environment("WINNOW_URL") || "http://127.0.0.1:7420").replace(/\/+$/, "");
    this.key = key ?? environment("WINNOW_API_KEY");
    Object.assign(this, { timeout, retries, longestPause, fetch });
  }

  propose({ wait, idempotencyKey, ...body }) {
    const query = wait === undefined ? {} : { wait: `${Math.round(wait)}ms` };
    return this.call("create-proposal", { query, body, idempotencyKey });
  }

  publishSession({ trace, idempotencyKey, ...body }) {
    let bytes = trace;
    if (Array.isArray(trace)) bytes = JSON.stringify({ messages: trace });
    if (typeof bytes === "string") bytes = new TextEncoder().encode(bytes);
    let binary = "";
    for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return this.call("create-session", { body: { ...body, inline: btoa(binary) }, idempotencyKey });
  }

  search(query, options = {}) {
    return this.call("search-memories", { query: { q: query, ...options } });
  }

  startSession(options = {}) {
    return this.call("start-session", { query: options });
  }

  memory(id, options = {}) {
    return this.call("get-memory", { id, query: options });
  }

  async *memories({ page = 200, ...options } = {}) {
    let cursor;
    do {
      const answer = await this.call("list-memories", { query: { ...options, limit: page, cursor } });
      yield* answer.memories ?? [];
      cursor = answer.next_cursor;
    } while (cursor);
  }

  feedback(memoryId, helpful, { idempotencyKey, ...more } = {}) {
    return this.call("send-feedback", { body: { memory_id: memoryId, helpful, ...more }, idempotencyKey });
  }

  outcome(memoryId, succeeded, { idempotencyKey, ...more } = {}) {
    return this.call("send-outcome", { body: { memory_id: memoryId, succeeded, ...more }, idempotencyKey });
  }

  caller() {
    return this.call("get-caller");
  }

  async call(operation, { id = "", query = {}, body, idempotencyKey } = {}) {
    const [method, path] = OPERATIONS[operation];
    const url = new URL(this.url + path.replace("{id}", encodeURIComponent(id)));
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { Accept: "application/json" };
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method === "POST") headers["Idempotency-Key"] = idempotencyKey ?? crypto.randomUUID();
    const send = this.fetch;
    for (let attempt = 0; ; attempt++) {
      let after = null;
      try {
        const answer = await send(url, {
          method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(this.timeout),
        });
        const text = await answer.text();
        if (answer.ok) return text ? JSON.parse(text) : null;
        const problem = new Problem(answer.status, objectOf(text));
        const again = answer.status === 429 || answer.status === 503 || problem.code === "request_in_progress";
        if (!again || attempt >= this.retries) throw problem;
        after = answer.headers.get("Retry-After");
      } catch (e) {
        if (e instanceof Problem) throw e;
        if (attempt >= this.retries) throw new Unreachable(this.url, e);
      }
      const pause = Math.min(this.longestPause, pauseOf(after, attempt));
      await new Promise((resume) => setTimeout(resume, pause));
    }
  }
}

function objectOf(text) {
  try {
    const body = JSON.parse(text);
    if (body !== null && typeof body === "object" && !Array.isArray(body)) return body;
  } catch {
    // A proxy's page, perhaps.
  }
  return { detail: text.slice(0, 200) };
}

// Milliseconds until the next attempt: as Retry-After says, else doubling from 200, with
// some chance so that many clients do not come at once.
function pauseOf(after, attempt) {
  if (after) {
    const seconds = Number(after);
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  }
  return 200 * 2 ** attempt * (0.5 + Math.random());
}
