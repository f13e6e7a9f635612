#!/bin/sh
# Publishes with nothing but the nats command, to winnow dev or to the server
# that NATS_URL names. Payloads are JSON and need no header. With
# NATS_USER=publisher-ID (and NATS_PASSWORD) the principal ID is the last token.
set -eu
: "${NATS_URL:=nats://127.0.0.1:7422}"
export NATS_URL
principal=${NATS_USER:+.${NATS_USER#publisher-}}

# A trace is bytes, which JSON has as base64.
trace=$(printf 'user: the upload test is flaky\nagent: fixed in upload_test.go\n' | base64 | tr -d '\n')

nats pub "session.completed$principal" \
	'{"id": "example-session-2", "scope": "project:shop", "outcome": "success", "format": "text", "inline": "'"$trace"'"}'

nats pub "memory.proposal.created$principal" \
	'{"id": "example-proposal-2", "scope": "project:shop", "text": "2026-11-20: upload_test.go takes a free port since 8081 was in use on CI."}'
