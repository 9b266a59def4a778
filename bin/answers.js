#!/usr/bin/env node
// The health check of containers: exits with 0 when the URL of its argument answers with a 2xx status within 4 seconds, else with 1.
// A program of its own, because some container engines split the arguments of a health check at spaces.
const [url] = process.argv.slice(2);
const isWell = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isWell ? 0 : 1);
