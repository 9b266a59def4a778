#!/bin/sh
# Puts a backup of Redis 7 or newer, or of Valkey, in place of its data: run it in the data folder while the server is stopped, with the
# backup as standard input. The server then reads it as the base of its append-only file, and starts with the settings that it had.
set -eu
rm -rf appendonlydir.new
mkdir appendonlydir.new
cat >appendonlydir.new/appendonly.aof.1.base.rdb
case $(head -c 5 appendonlydir.new/appendonly.aof.1.base.rdb) in
REDIS | VALKE) ;;
*)
  rm -r appendonlydir.new
  echo 'standard input is no backup made with `redis-cli --rdb`; nothing was changed' >&2
  exit 1
  ;;
esac
echo 'file appendonly.aof.1.base.rdb seq 1 type b' >appendonlydir.new/appendonly.aof.manifest
if [ -e appendonlydir ]; then mv appendonlydir "appendonlydir.$(date +%s)"; fi
mv appendonlydir.new appendonlydir
