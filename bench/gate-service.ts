import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { startInsightsService } from '../src/embedded/insights/service.ts';
import { advisoryIdsOf, publishedAtOf } from './fleet-data.ts';

/*
 * The services of `gate.ts`, in a process of their own. With the argument `constant`: an HTTP server that answers every request with as many
 * bytes as the second argument says. Otherwise an insights service with that many packages of 31 versions each; an input line is the
 * latency of its answers from then on, in ms. Writes its URL to standard output; ends with its parent.
 */
const [kind, count] = process.argv.slice(2);
if (kind === 'constant') startConstant(Number(count));
else await startInsights(Number(kind));
process.stdin.once('close', () => process.exit());

function startConstant(bytes: number): void {
  const answer = JSON.stringify({ packages: 'x'.repeat(bytes) });
  process.stdin.resume();
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}

async function startInsights(distinct: number): Promise<void> {
  const affected = Map.groupBy(
    Array.from({ length: distinct }, (_, index) => advisoryIdsOf(index).map((id) => ({ id, index }))).flat(),
    ({ id }) => id,
  );
  const advisories = Array.from(affected, ([id, all]) => ({
    ...{ id, title: `Issue ${id}`, aliases: [], score: 7.5, heldBack: false },
    affected: all.map(({ index }) => ({ system: 'NPM', name: `package-${index}`, range: '1.0.0' }) as const),
  }));
  const packages = Array.from({ length: distinct }, (_, index) => {
    const version = (text: string, publishedAt: string) => {
      return { version: text, license: 'MIT', publishedAt, dependencies: {} };
    };
    const older = Array.from({ length: 30 }, (__, at) => version(`0.${at}.0`, '2023-01-01T00:00:00Z'));
    const name = `package-${index}`;
    const versions = [...older, version('1.0.0', publishedAtOf(index))];
    return { system: 'NPM' as const, name, default: '1.0.0', versions };
  });
  const service = await startInsightsService({ data: { packages, advisories } });
  createInterface({ input: process.stdin }).on('line', (line) => {
    service.faults.latencyMs = Number(line);
  });
  process.stdout.write(`${service.url}\n`);
}
