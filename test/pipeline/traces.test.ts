import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, SECRETS, type World } from './world.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

/** A collector that keeps the spans it is sent, as OTLP/HTTP JSON. */
async function startCollector() {
  const spans: Span[] = [];
  const headers: (string | undefined)[] = [];
  let refuses = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    headers.push(request.headers.authorization);
    if (refuses) return response.writeHead(400).end();
    const body = Buffer.concat(chunks);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    for (const { scopeSpans } of JSON.parse(String(text)).resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    headers,
    refuse: () => {
      refuses = true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const OF_SCAN = /ingest-lockfiles$|collect-advisories$|judge-scan$|deliver-notification$|^(?:POST|GET)$/;

let world: World;
let collector: Awaited<ReturnType<typeof startCollector>>;
beforeAll(async () => {
  world = await createWorld();
  collector = await startCollector();
});
afterAll(async () => {
  await collector.close();
  await world.close();
});

it('a scan is one trace from the producer to the delivery, and lost traces show in the log', async () => {
  const config = [
    `traces: { endpoint: "${collector.url}", authorization: { env: LOCKHOUND_SECRET_ALERT_TOKEN } }`,
  ];
  const room = await world.room('traces', [], { platform: false, config });
  const worker = room.startWorker({ OTEL_BSP_SCHEDULE_DELAY: '100', LOCKHOUND_WORKER_RECHECK_OPEN: '10m' });
  const file = join(tmpdir(), `traces-${process.pid}-package-lock.json`);
  await writeFile(file, LOCKFILE);
  const enqueued = await room.lockhound(
    'enqueue',
    file,
    '--as',
    'npm-package-lock',
    '--target',
    'shop',
    '--scan',
    'one',
  );
  expect(enqueued.code).toBe(0);
  const names = () => collector.spans.map(({ name }) => name);
  await expect.poll(names).toContain('process deliver-notification');
  const requests = () => collector.spans.filter(({ name }) => name === 'POST');
  await expect.poll(() => requests().length).toBeGreaterThanOrEqual(2);
  // Spans are exported when they end, in batches.
  for (const job of ['ingest-lockfiles', 'collect-advisories', 'judge-scan']) {
    await expect.poll(names).toContain(`process ${job}`);
  }
  const [root, ...others] = collector.spans.filter(
    ({ parentSpanId = '', name }) => parentSpanId === '' && OF_SCAN.test(name),
  );
  expect([root?.name, others]).toEqual(['add ingest-lockfiles.ingest-lockfiles', []]);
  // The worker also judges all targets when it starts, which is a trace of its own.
  const ofScan = collector.spans.filter(({ name }) => OF_SCAN.test(name));
  expect(ofScan.length).toBeGreaterThan(10);
  expect(new Set(ofScan.map(({ traceId }) => traceId))).toEqual(new Set([root?.traceId]));
  expect(new Set(collector.headers)).toEqual(new Set([SECRETS.alertToken]));
  // Receivers often have a secret in their path.
  const urls = requests().flatMap(({ attributes }) => attributes.filter(({ key }) => key.startsWith('url.')));
  expect(urls.length).toBeGreaterThan(0);
  for (const { value } of urls) expect(value.stringValue).not.toMatch(/traces|v3alpha/);
  collector.refuse();
  await room.producer.enqueue({
    scan: 'two',
    target: { id: 'shop', labels: {} },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  await room.verdict('two');
  await expect.poll(worker.output).toContain('traces are lost: the collector does not accept them');
  await worker.kill('SIGTERM');
  expect(worker.output()).not.toContain(SECRETS.alertToken);
});
