#!/bin/sh
# The health check of the NATS server in docker-compose.yml: JetStream is there, and every
# stream can be written.
#
# A stream that met a full disk refuses everything until the server starts again, also
# when there is room. Once there is, this ends the server, and compose starts it anew
# (restart: unless-stopped). It does so at most once in five minutes, and never while
# there is no room, because a start on a full disk helps nobody.
set -u
monitor=${NATS_MONITOR:-http://127.0.0.1:8222}
data=${NATS_DATA:-/data}
server=${NATS_PID:-1}
least=${NATS_LEAST_FREE_KB:-65536}
ended=${NATS_ENDED:-/tmp/winnow-nats-ended}

wget -q -O /dev/null "$monitor/healthz" && exit 0
# Still starting, or without JetStream: no restart helps.
wget -q -O /dev/null "$monitor/healthz?js-enabled-only=true" || exit 1
free=$(df -Pk "$data" | awk 'NR == 2 { print $4 }')
if [ "${free:-0}" -ge "$least" ] && [ -z "$(find "$ended" -mmin -5 2>/dev/null)" ]; then
	echo "a stream cannot be written and there is room: the server is started again"
	touch "$ended"
	kill -TERM "$server"
fi
exit 1
