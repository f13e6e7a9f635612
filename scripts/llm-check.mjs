// A small real language model behind POST /v1/chat/completions, for llm-check:
//
//	node llm-check.mjs MODEL.gguf
//
// It prints its address and answers one question after the other until it is
// killed. An answer is held to the JSON schema of the request, as larger servers
// do.
import http from "node:http";
import {getLlama, LlamaChatSession} from "node-llama-cpp";

const contextSize = 8192;
const llama = await getLlama({gpu: false, build: "never", logLevel: "error"});
const model = await llama.loadModel({modelPath: process.argv[2]});
// One thread: several wait for each other where other programs have the processors, and
// then answer nothing for minutes. 0 takes what the machine has.
const context = await model.createContext({contextSize, threads: Number(process.env.LLM_THREADS ?? 1), swaFullCache: true});
// One sequence for all questions: what two of them begin with alike is read once.
const sequence = context.getSequence();

async function complete(asked, signal) {
	const system = asked.messages.filter((m) => m.role === "system").map((m) => m.content).join("\n");
	const user = asked.messages.filter((m) => m.role !== "system").map((m) => m.content).join("\n");
	const maxTokens = asked.max_tokens ?? 600;
	const counted = model.tokenize(system + user).length;
	if (counted + maxTokens + 64 > contextSize) {
		return [400, {error: {code: "context_length_exceeded", message: "too long"}}];
	}
	const schema = asked.response_format?.json_schema?.schema;
	const grammar = schema && await llama.createGrammarForJsonSchema(schema);
	const session = new LlamaChatSession({contextSequence: sequence, systemPrompt: system});
	try {
		const said = await session.promptWithMeta(user, {grammar, maxTokens, temperature: 0, signal, stopOnAbortSignal: true});
		const made = model.tokenize(said.responseText).length;
		return [200, {
			object: "chat.completion", model: asked.model,
			choices: [{
				index: 0, message: {role: "assistant", content: said.responseText},
				finish_reason: said.stopReason === "maxTokens" ? "length" : "stop",
			}],
			usage: {prompt_tokens: counted, completion_tokens: made, total_tokens: counted + made},
		}];
	} finally {
		session.dispose({disposeSequence: false});
	}
}

let turn = Promise.resolve(); // one at a time: there is one context
const server = http.createServer(async (request, response) => {
	let body = "";
	for await (const part of request) body += part;
	// Who has hung up is not answered: the next question must not wait for it.
	const gone = new AbortController();
	response.on("close", () => gone.abort());
	turn = turn.then(() => gone.signal.aborted ? [499, {}] : complete(JSON.parse(body), gone.signal))
		.catch((problem) => [400, {error: {code: "invalid_request", message: String(problem)}}]);
	const [status, answer] = await turn;
	response.writeHead(status, {"Content-Type": "application/json"}).end(JSON.stringify(answer));
});
server.requestTimeout = 0; // a small model on a small machine takes its time
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
