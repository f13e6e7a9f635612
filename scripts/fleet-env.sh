#!/usr/bin/env bash
# Gives every secret of .env.example that .env has not got a random value:
# `scripts/fleet-env.sh [FILE]`. What is there stays, so it can be run again
# after an upgrade that brought a new service.
set -euo pipefail
cd "$(dirname "$0")/.."
env=${1:-.env}

# 160 random bits, beginning with a letter: NATS would read a number as one.
secret() { printf 'w%s' "$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')"; }

umask 077
touch "$env"
added=0
while IFS= read -r line; do
	name=${line%%=*}
	if [[ $line != *=* || $line == \#* ]] || grep -q "^$name=" "$env"; then
		continue
	fi
	[[ $line == *= ]] && line=$line$(secret)
	printf '%s\n' "$line" >>"$env"
	added=$((added + 1))
done <.env.example
chmod 600 "$env"
echo "$env: $added added; keep it secret, and keep it: streams and databases are locked by it"
