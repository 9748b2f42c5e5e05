#!/bin/sh
# Runs a command with a PostgreSQL server of its own on loopback, in a temporary directory, and stops the server afterwards.
#
#   scripts/with-postgres.sh cargo test -p neuralbo-store
#
# The command finds the server's URL in NEURALBO_TEST_POSTGRES, and in NEURALBO_TEST_POSTGRES_RESTART a command that restarts it.
set -eu

programs() {
    for bin in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) /usr/local/bin /opt/homebrew/bin; do
        [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ] && echo "$bin" && return
    done
}

BIN=$(programs)
if [ -z "$BIN" ]; then
    echo "with-postgres.sh: no PostgreSQL found, installing Debian's package" >&2
    apt-get update -qq >&2
    apt-get install -y -qq postgresql >&2
    BIN=$(programs)
fi

FOLDER=$(mktemp -d)
PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then
    chown postgres "$FOLDER"
    AS="runuser -u postgres --"
else
    AS=""
fi

cleanup() {
    (cd / && $AS "$BIN/pg_ctl" -D "$FOLDER/data" -m immediate -w stop >/dev/null 2>&1) || true
    rm -rf "$FOLDER"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

(cd / && $AS "$BIN/initdb" -D "$FOLDER/data" -U neuralbo -A trust -E UTF8 --no-sync >"$FOLDER/initdb.log" 2>&1)
cat >>"$FOLDER/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $PORT
unix_socket_directories = '$FOLDER'
max_connections = 200
CONF
(cd / && $AS "$BIN/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/server.log" -w start >/dev/null)

cat >"$FOLDER/restart" <<RESTART
#!/bin/sh
cd / && exec $AS "$BIN/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/server.log" -m "\${1:-fast}" -w restart >/dev/null
RESTART
chmod 755 "$FOLDER" "$FOLDER/restart"

NEURALBO_TEST_POSTGRES="postgres://neuralbo@127.0.0.1:$PORT/postgres" NEURALBO_TEST_POSTGRES_RESTART="$FOLDER/restart" "$@"
