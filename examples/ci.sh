#!/bin/sh
# For any other host. BASE: the commit or branch that the change is compared with; without it everything counts.
# LOCKHOUND replaces the command.
set -eu

${LOCKHOUND:-npx --yes --ignore-scripts lockhound@0.2.0} scan ${BASE:+--since "$BASE"} \
  --report sarif=lockhound.sarif --report markdown=lockhound.md --report json=lockhound.json
