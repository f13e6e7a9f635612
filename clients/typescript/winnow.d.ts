/** The operations of the contract that this client calls: method and path by id. */
export declare const OPERATIONS: Readonly<Record<string, readonly [method: string, path: string]>>;

export type Kind = "strategy" | "fact" | "decision" | "preference" | "convention" | "rule" | (string & {});
export type Outcome = "success" | "failure";

/** What became of a proposal; waiting when it is not decided yet. */
export interface Verdict {
  status: "recorded" | "needs_review" | "duplicate" | "rejected" | "quarantined" | "waiting";
  message: string;
  id?: string;
  initial_confidence?: number;
  proposal_id?: string;
  related_id?: string;
  secrets_replaced?: number;
  next_step?: string;
}

export interface Receipt {
  event_id: string;
  principal: string;
  duplicate: boolean;
  /** With wait. */
  verdict?: Verdict;
}

export interface Proposal {
  /** Where it holds, such as project:github.com/acme/api. */
  scope: string;
  text: string;
  kind?: Kind;
  title?: string;
  description?: string;
  outcome?: Outcome;
  /** 0 to 1. */
  confidence?: number;
  tags?: string[];
  topics?: string[];
  /** 1 to 10. */
  importance?: number;
  origin?: "external" | "agent" | "first_party" | "human";
  session_id?: string;
  /** RFC 3339. */
  observed_at?: string;
  source?: string;
  /** Milliseconds to wait for the verdict, at most 30000. */
  wait?: number;
  idempotencyKey?: string;
}

export interface Session {
  session_id: string;
  /** What the agent wrote, or messages. */
  trace: string | Uint8Array | ReadonlyArray<object>;
  scope?: string;
  project?: string;
  task?: string;
  format?: string;
  outcome?: Outcome;
  idempotencyKey?: string;
}

export interface SessionReceipt {
  event_id: string;
  session_id: string;
  session_name: string;
  principal: string;
  scope: string;
  format: string;
  duplicate: boolean;
  turns: number;
  skipped: number;
  redactions: number;
  outcome: Outcome | "unknown";
  outcome_inferred: boolean;
  note?: string;
}

export interface SearchOptions {
  project?: string;
  scope?: "all" | "project" | "team" | "org";
  outcome?: string;
  kind?: Kind;
  topic?: string;
  depth?: string;
  limit?: number;
  min_confidence?: number;
  session_id?: string;
}

export interface Found {
  id: string;
  /** Data, whatever it says. */
  content: string;
  confidence: number;
  scope: string;
  kind: Kind;
  origin: string;
  authority: string;
  last_confirmed: string;
  relevance: number;
  title?: string;
  description?: string;
  note?: string;
  outcome?: string;
  usage_count?: number;
}

export interface SearchAnswer {
  /** For a model that is shown the texts. */
  how_to_read?: string;
  memories: Found[];
  memories_end?: string;
  previews?: { id: string; preview: string; kind: Kind; scope: string; confidence: number; relevance: number; topics?: string[] }[];
  notes?: string[];
  total_found: number;
  tokens_used: number;
  why?: string;
}

export interface Memory {
  how_to_read: string;
  id: string;
  title: string;
  description: string;
  /** Data, whatever it says. */
  content: string;
  outcome: string;
  confidence: number;
  scope: string;
  kind: Kind;
  origin: string;
  authority: string;
  state: "active" | "archived";
  tags: string[];
  topics: string[];
  successor_id?: string;
}

export interface MemoryRow {
  id: string;
  scope: string;
  state: "active" | "archived";
  kind: Kind;
  preview: string;
  topics: string[];
  tags: string[];
  confidence: number;
  authority: string;
  created_at: string;
  successor_id?: string;
}

export interface SessionStart {
  /** What to know, as text in a fence. */
  context: string;
  memory_ids: string[];
  tokens_used: number;
  omitted: number;
  since?: string;
}

/** An error that the server reported (RFC 9457). */
export declare class Problem extends Error {
  readonly status: number;
  /** The kind of problem, the same for every occurrence. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: ReadonlyArray<{ field: string; remedy: string }>;
  /** For the server's log. */
  readonly requestId: string;
}

/** No answer came, after every retry; cause has the reason. */
export declare class Unreachable extends Error {}

export interface Options {
  /** WINNOW_URL, else winnow dev on this machine. */
  url?: string;
  /** WINNOW_API_KEY; winnow dev needs none on its own machine. */
  key?: string;
  /** Milliseconds of one attempt. */
  timeout?: number;
  /** How often a request is sent again after 429, 503 and a lost connection. */
  retries?: number;
  /** Milliseconds that a Retry-After may cost at most. */
  longestPause?: number;
  fetch?: typeof globalThis.fetch;
}

/** One server with one credential. */
export declare class Winnow {
  constructor(options?: Options);
  /** Proposes a memory; with wait the receipt has the verdict. */
  propose(proposal: Proposal): Promise<Receipt>;
  /** Publishes a finished session; lessons are drawn from it afterwards. */
  publishSession(session: Session): Promise<SessionReceipt>;
  /** Finds memories by words and meaning, as seen from the project. */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  /** What to know at the start of a session. */
  startSession(options?: { project?: string; session_id?: string; task?: string }): Promise<SessionStart>;
  /** Reads one memory in full. */
  memory(id: string, options?: { project?: string; session_id?: string }): Promise<Memory>;
  /** Lists memories, the newest first, in requests of one page each. */
  memories(options?: { scope?: string; kind?: Kind; state?: "active" | "archived" | "all"; page?: number }): AsyncGenerator<MemoryRow, void, void>;
  /** Says whether a memory helped. */
  feedback(
    memoryId: string, helpful: boolean, options?: { comment?: string; session_id?: string; idempotencyKey?: string },
  ): Promise<{ success: boolean; new_confidence: number; message: string }>;
  /** Says how the task ended in which a memory was used. */
  outcome(
    memoryId: string, succeeded: boolean, options?: { session_id?: string; idempotencyKey?: string },
  ): Promise<{ recorded: boolean; new_confidence: number; message: string }>;
  /** The principal, tenant and permissions of the credential. */
  caller(): Promise<{ principal: string; tenant: string; highest: string; permissions: string[]; scopes: string[] }>;
  /** Calls an operation of OPERATIONS, and again where that is safe and may help. */
  call(
    operation: string, request?: { id?: string; query?: Record<string, unknown>; body?: object; idempotencyKey?: string },
  ): Promise<any>;
}
