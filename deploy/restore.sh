#!/bin/sh
# Puts a backup of Redis 7 or newer, or of Valkey, in place of its data: run it in the data folder while the server is stopped, with the
# backup as standard input. The server then reads it as the base of its append-only file, and starts with the settings that it had.
set -eu
file=appendonlydir.new/appendonly.aof.1.base.rdb
refuse() {
  rm -r appendonlydir.new
  echo "standard input $1; nothing was changed" >&2
  exit 1
}
# byte <n>: the byte that is the nth from the end, in hexadecimal digits.
byte() { tail -c "$1" "$file" | head -c 1 | od -An -tx1 | tr -d ' \n'; }

rm -rf appendonlydir.new
mkdir appendonlydir.new
cat >"$file"
case $(head -c 5 "$file") in
REDIS | VALKE) ;;
*) refuse 'is no backup made with `redis-cli --rdb`' ;;
esac
# The data ends with ff and a checksum of 8 bytes. `--rdb -` leaves 40 bytes of the protocol behind it, which the server would refuse.
if [ "$(byte 9)" != ff ]; then
  [ "$(byte 49)" = ff ] || refuse 'is a part of a backup'
  size=$(wc -c <"$file")
  head -c $((size - 40)) "$file" >"$file.cut"
  mv "$file.cut" "$file"
fi
echo 'file appendonly.aof.1.base.rdb seq 1 type b' >appendonlydir.new/appendonly.aof.manifest
if [ -e appendonlydir ]; then mv appendonlydir "appendonlydir.$(date +%s)"; fi
mv appendonlydir.new appendonlydir
