// What a service does with Winnow, in one run. `node example.js NAME` uses the project
// NAME; it prints one line of JSON for each step, which a test reads.
// @ts-check
import { Problem, Winnow } from "./winnow.js";

const project = process.argv[2] ?? "shop";
const scope = `project:${project}`;
const memory = new Winnow();
/** @type {(step: string, what: object) => void} */
const say = (step, what) => console.log(JSON.stringify({ step, ...what }));

say("caller", { principal: (await memory.caller()).principal });

const fact = { scope, text: `2026-11-02: \`${project}-importer\` listens on port 7431.`, wait: 30_000, idempotencyKey: `${project}-1` };
const receipt = await memory.propose(fact);
say("propose", { status: receipt.verdict?.status, id: receipt.verdict?.id ?? "" });
const again = await memory.propose(fact);
say("again", { duplicate: again.duplicate, same: again.event_id === receipt.event_id });

const { memories } = await memory.search("which port does the importer listen on?", { project, session_id: "example" });
say("search", { ids: memories.map((m) => m.id) });
const first = memories[0].id;
say("memory", { content: (await memory.memory(first, { project })).content });
/** @type {string[]} */
const ids = [];
for await (const m of memory.memories({ scope, page: 1 })) ids.push(m.id);
say("memories", { ids });
say("feedback", { confidence: (await memory.feedback(first, true, { session_id: "example" })).new_confidence });
say("outcome", { recorded: (await memory.outcome(first, true, { session_id: "example" })).recorded });
say("start", { tokens: (await memory.startSession({ project, session_id: "example" })).tokens_used });

const trace = [{ role: "user", content: "Import the orders." }, { role: "assistant", content: "All orders are imported." }];
say("session", { turns: (await memory.publishSession({ session_id: `example-${project}`, scope, outcome: "success", trace })).turns });

/** @type {Record<string, () => Promise<unknown>>} */
const bad = {
  unknown: () => memory.memory("mem_01JD0000000000000000000000"),
  field: () => memory.search("x", { limit: 1000 }),
  reused: () => memory.propose({ scope, text: "Something else.", idempotencyKey: `${project}-1` }),
};
for (const [name, request] of Object.entries(bad)) {
  try {
    await request();
    say(name, { status: 200 });
  } catch (e) {
    if (!(e instanceof Problem)) throw e;
    say(name, { status: e.status, code: e.code, fields: e.errors.map((f) => f.field), request_id: e.requestId !== "" });
  }
}
