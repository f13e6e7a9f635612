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
// 0 takes what the machine has; on a busy one a single thread is faster.
const context = await model.createContext({contextSize, threads: Number(process.env.LLM_THREADS ?? 0)});

async function complete(asked) {
	const system = asked.messages.filter((m) => m.role === "system").map((m) => m.content).join("\n");
	const user = asked.messages.filter((m) => m.role !== "system").map((m) => m.content).join("\n");
	const maxTokens = asked.max_tokens ?? 600;
	const counted = model.tokenize(system + user).length;
	if (counted + maxTokens + 64 > contextSize) {
		return [400, {error: {code: "context_length_exceeded", message: "too long"}}];
	}
	const schema = asked.response_format?.json_schema?.schema;
	const grammar = schema && await llama.createGrammarForJsonSchema(schema);
	const session = new LlamaChatSession({contextSequence: context.getSequence(), systemPrompt: system});
	try {
		const said = await session.promptWithMeta(user, {grammar, maxTokens, temperature: 0});
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
		session.dispose({disposeSequence: true});
	}
}

let turn = Promise.resolve(); // one at a time: there is one context
const server = http.createServer(async (request, response) => {
	let body = "";
	for await (const part of request) body += part;
	turn = turn.then(() => complete(JSON.parse(body)))
		.catch((problem) => [400, {error: {code: "invalid_request", message: String(problem)}}]);
	const [status, answer] = await turn;
	response.writeHead(status, {"Content-Type": "application/json"}).end(JSON.stringify(answer));
});
server.requestTimeout = 0; // a small model on a small machine takes its time
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
