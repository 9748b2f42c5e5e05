#!/bin/sh
# Runs a command with a PostgreSQL server of its own on loopback, in a temporary directory, and stops the server afterwards.
#
#   scripts/ci/with-postgres.sh cargo test -p neuralbo-store
#
# The command finds the server's URL in NEURALBO_TEST_POSTGRES, in NEURALBO_TEST_POSTGRES_RESTART a command that restarts it, and in
# NEURALBO_TEST_POSTGRES_CERTS the certificates: root.crt has signed the server's, which is for `localhost`, and client.crt of
# `certified`; other.crt has signed neither. The role `secretive` needs the password of NEURALBO_TEST_PASSWORD.
set -eu

programs() {
    for bin in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) /usr/local/bin /opt/homebrew/bin; do
        if [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ]; then
            echo "$bin"
            return
        fi
    done
}

BIN=$(programs)
if [ -z "$BIN" ]; then
    echo "with-postgres.sh: no PostgreSQL found, installing Debian's package" >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql openssl >&2
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

NEURALBO_TEST_PASSWORD='correct/horse?battery:staple'

# Makes a certificate: its name, its subject, what it is for, and the one who signs it (itself without one).
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$2" -keyout "$CERTS/$1.key" -out "$CERTS/$1.csr"
    printf '%s\n' "$3" >"$CERTS/$1.ext"
    if [ -n "${4:-}" ]; then
        openssl x509 -req -in "$CERTS/$1.csr" -days 30 -extfile "$CERTS/$1.ext" -CA "$CERTS/$4.crt" -CAkey "$CERTS/$4.key" \
            -CAcreateserial -out "$CERTS/$1.crt"
    else
        openssl x509 -req -in "$CERTS/$1.csr" -days 30 -extfile "$CERTS/$1.ext" -signkey "$CERTS/$1.key" -out "$CERTS/$1.crt"
    fi
}
CERTS=$FOLDER/certs
mkdir "$CERTS"
{
    certificate root 'test root' 'basicConstraints=critical,CA:TRUE'
    certificate other 'other root' 'basicConstraints=critical,CA:TRUE'
    certificate server localhost 'subjectAltName=DNS:localhost' root
    certificate client certified 'extendedKeyUsage=clientAuth' root
} >"$FOLDER/openssl.log" 2>&1
cp "$CERTS/server.key" "$FOLDER/server.key"
chmod 600 "$FOLDER/server.key"
chmod 755 "$CERTS"
chmod 644 "$CERTS"/*
[ "$(id -u)" != 0 ] || chown postgres "$FOLDER/server.key"

(cd / && $AS "$BIN/initdb" -D "$FOLDER/data" -U neuralbo -A trust -E UTF8 --no-sync >"$FOLDER/initdb.log" 2>&1)
cat >>"$FOLDER/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $PORT
unix_socket_directories = '$FOLDER'
max_connections = 200
ssl = on
ssl_cert_file = '$CERTS/server.crt'
ssl_key_file = '$FOLDER/server.key'
ssl_ca_file = '$CERTS/root.crt'
CONF
cat >"$FOLDER/data/pg_hba.conf" <<HBA
local all all trust
hostssl all certified 127.0.0.1/32 cert
hostssl all certified ::1/128 cert
host all secretive 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host all all ::1/128 trust
HBA
(cd / && $AS "$BIN/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/server.log" -w start >/dev/null)

cat >"$FOLDER/restart" <<RESTART
#!/bin/sh
cd / && exec $AS "$BIN/pg_ctl" -D "$FOLDER/data" -l "$FOLDER/server.log" -m "\${1:-fast}" -w restart >/dev/null
RESTART
chmod 755 "$FOLDER" "$FOLDER/restart"
(cd / && "$BIN/psql" -q -h 127.0.0.1 -p "$PORT" -U neuralbo postgres <<SQL
CREATE ROLE certified LOGIN SUPERUSER;
CREATE ROLE secretive LOGIN SUPERUSER PASSWORD '$NEURALBO_TEST_PASSWORD';
SQL
)

export NEURALBO_TEST_PASSWORD NEURALBO_TEST_POSTGRES_CERTS="$CERTS"
NEURALBO_TEST_POSTGRES="postgres://neuralbo@127.0.0.1:$PORT/postgres" NEURALBO_TEST_POSTGRES_RESTART="$FOLDER/restart" "$@"
