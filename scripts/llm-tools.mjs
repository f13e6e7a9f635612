// Gives a language model ten tasks in words and the core list of tools as an agent's
// client gets it, and says whether it chooses the right tool with the right arguments:
//
//	node llm-tools.mjs WINNOW URL MODEL [--json]
//
// WINNOW is the program, whose `winnow mcp` sends the list, with or without a server; URL
// and MODEL are an OpenAI-compatible server's. The tasks are in llm-tools.json: the tools
// that are right, and of the arguments what must be there: `is` is equality, `has` are
// words that a text must have, whatever their case. Other arguments count as wrong only
// where the tool has none of the name. Figures and no gate: it ends with 0 unless nothing
// answers.
import {spawn} from "node:child_process";
import {readFile} from "node:fs/promises";
import {createInterface} from "node:readline";
import {fileURLToPath} from "node:url";

const [winnow, url, model] = process.argv.slice(2);
const asJSON = process.argv.includes("--json");
const tasks = JSON.parse(await readFile(fileURLToPath(new URL("llm-tools.json", import.meta.url)), "utf8"));

// listed returns the tools of the core list, as they are sent over standard input and
// output.
async function listed() {
	const child = spawn(winnow, ["mcp"], {stdio: ["pipe", "pipe", "inherit"]});
	const send = (message) => child.stdin.write(JSON.stringify({jsonrpc: "2.0", ...message}) + "\n");
	send({id: 1, method: "initialize", params: {protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {name: "llm-tools", version: "1"}}});
	try {
		for await (const line of createInterface({input: child.stdout})) {
			const {id, result} = JSON.parse(line);
			if (id === 1) {
				send({method: "notifications/initialized"});
				send({id: 2, method: "tools/list"});
			}
			if (id === 2) return result.tools;
		}
		throw new Error("winnow mcp ended before it listed its tools");
	} finally {
		child.stdin.end();
		child.kill();
	}
}

const tools = await listed();
const offered = tools.map(({name, description, inputSchema}) => ({name, description, inputSchema}));
// The list stands first and is the same for every task, so a server reads it once.
const system = "You are a coding agent. You have these tools, each with the JSON schema of its arguments:\n" +
	offered.map((tool) => JSON.stringify(tool)).join("\n") +
	"\nAnswer with the one call that does what you are asked for, as a JSON object with tool and arguments. Take the arguments from the words of the task and leave out what it does not say.";
// Small models are held to the schema while they write. Every property of an object is
// then written, so a call has either what its tool requires or that and the project.
const plain = ({type, enum: values, items}) => ({type, ...(values && {enum: values}), ...(items && {items: plain(items)})});
const given = (tool, names) => ({
	type: "object", required: names, additionalProperties: false,
	properties: Object.fromEntries(names.map((name) => [name, plain(tool.inputSchema.properties[name])])),
});
const calls = offered.flatMap((tool) => {
	const required = tool.inputSchema.required ?? [];
	const project = ["project", "project_id"].filter((name) => name in tool.inputSchema.properties);
	return [required, ...project.map((name) => [...required, name])].map((names) => ({
		type: "object", required: ["tool", "arguments"], additionalProperties: false,
		properties: {tool: {const: tool.name}, arguments: given(tool, names)},
	}));
});
const schema = {oneOf: calls};

async function asked(task) {
	const response = await fetch(url + "/chat/completions", {
		method: "POST", headers: {"Content-Type": "application/json", Authorization: `Bearer ${process.env.LLM_KEY ?? "none"}`},
		body: JSON.stringify({
			model, temperature: 0, max_tokens: 200,
			messages: [{role: "system", content: system}, {role: "user", content: task}],
			response_format: {type: "json_schema", json_schema: {name: "call", schema}},
		}),
	});
	if (!response.ok) throw new Error(`${url} answers ${response.status}: ${(await response.text()).slice(0, 300)}`);
	return (await response.json()).choices[0].message.content;
}

// wrong returns what is wrong with the arguments of a call.
function wrong(want, got, tool) {
	const known = Object.keys(tool?.inputSchema.properties ?? {});
	const out = Object.keys(got).filter((name) => !known.includes(name)).map((name) => `${name} is no argument`);
	for (const name of tool?.inputSchema.required ?? []) {
		if (!(name in got)) out.push(`${name} is missing`);
	}
	for (const [name, rule] of Object.entries(want)) {
		const is = got[name];
		if (is === undefined) {
			if (!out.includes(`${name} is missing`)) out.push(`${name} is missing`);
		} else if ("is" in rule && JSON.stringify(is) !== JSON.stringify(rule.is)) {
			out.push(`${name} is ${JSON.stringify(is)}`);
		} else if (rule.has?.some((word) => !String(is).toLowerCase().includes(word.toLowerCase()))) {
			out.push(`${name} is ${JSON.stringify(is)}`);
		}
	}
	return out;
}

const report = [];
for (const {task, tool: right, arguments: want} of tasks) {
	const began = Date.now();
	const answer = await asked(task);
	let call = {};
	try {
		call = JSON.parse(answer) ?? {};
	} catch {
		// Cut off by the limit, most likely. It has no tool and no arguments.
	}
	const tool = tools.find((one) => one.name === call.tool);
	const rightTool = right.includes(call.tool);
	const faults = rightTool ? wrong(want, call.arguments ?? {}, tool) : [];
	report.push({task, want: right, tool: call.tool ?? null, arguments: call.arguments ?? null, answer: call.tool ? undefined : answer,
		right_tool: rightTool, right_arguments: rightTool && faults.length === 0, faults, seconds: (Date.now() - began) / 1000});
}
const count = (which) => report.filter(which).length;
const sum = {model, tasks: report.length, tools_offered: offered.length, right_tool: count((r) => r.right_tool), right_arguments: count((r) => r.right_arguments)};
if (asJSON) {
	console.log(JSON.stringify({...sum, results: report}, null, 2));
} else {
	for (const r of report) {
		console.log(`${r.right_arguments ? "right    " : r.right_tool ? "arguments" : "tool     "} ${r.want[0].padEnd(20)} ${(r.tool ?? "none").padEnd(20)} ${r.faults.join("; ")}`);
	}
	console.log(`${sum.model}: the right tool ${sum.right_tool} of ${sum.tasks}, with the right arguments ${sum.right_arguments} of ${sum.tasks}`);
}
