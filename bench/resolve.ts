import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { Agent } from 'undici';
import { readBundledDescription } from '../src/discovery/bundled.ts';
import { createApiClient } from '../src/discovery/client.ts';
import { startInsightsService } from '../src/embedded/insights/service.ts';
import { createHttpClient } from '../src/http/undici-client.ts';
import { compileAnswerCheck } from '../src/insights/answer-check.ts';
import type { ContractProblem } from '../src/insights/answered.ts';
import { createBatches } from '../src/insights/batch/batches.ts';
import * as operations from '../src/insights/operations.ts';
import { readVersionRecord } from '../src/insights/records/version-record.ts';
import type { LookUp } from '../src/insights/resolve/eligibility.ts';
import { createVersionLookUp, RESULT_FIELDS } from '../src/insights/resolve/version-look-up.ts';
import { createInsightsService } from '../src/insights/service.ts';
import { cannedBatch, cannedPackage } from './canned-batch.ts';
import { median } from './median.ts';
import { synthesizeData } from './synthetic-data.ts';

const ANSWER_FIELDS = ['nextPageToken', ...RESULT_FIELDS.map((field) => `responses.result.${field}`)];
const BATCH = 5_000;
const PAGE = 1_000;
const THROUGHPUT = 100_000;
const CONCURRENCY = 8;
const never = new AbortController().signal;

/** The cost of a look-up: checking answers, following pages, and the whole path from purl to record. */
export async function run(): Promise<void> {
  await benchCheck();
  await benchPages();
  await benchThroughput();
}

/** One answer of 5,000 entries: parsed, and parsed and checked, alternately. */
async function benchCheck(): Promise<void> {
  const document = await readBundledDescription('insights.v3alpha');
  const text = cannedBatch(BATCH);
  const narrow = compileAnswerCheck(document, 'PurlLookupBatchResult', ANSWER_FIELDS);
  const whole = compileAnswerCheck(document, 'PurlLookupBatchResult');
  const parse = () => JSON.parse(text) as { responses: { result: { version: object } }[] };
  const accept = (check: typeof narrow) => {
    const problems: ContractProblem[] = [];
    const value = check(parse(), problems) as ReturnType<typeof parse>;
    if (problems.length > 0) throw new Error('the canned answer has problems');
    return value;
  };
  const times = await race(25, {
    'JSON.parse': parse,
    'and the fields that are read checked': () => accept(narrow),
    'and all fields checked': () => accept(whole),
    'and the fields checked and made records': () =>
      accept(narrow).responses.map(({ result }) => readVersionRecord(result.version)),
  });
  console.log(`one answer of ${BATCH} versions, ${(text.length / 1e6).toFixed(2)} MB`);
  printTimes(times, (ms) => `${ms.toFixed(1)} ms`);
}

/** A service with 100 answers per page and 50 ms of latency: page by page, and as the client does it. */
async function benchPages(): Promise<void> {
  const packages = Array.from({ length: BATCH }, (_, index) => cannedPackage(index));
  const purls = packages.map(({ name, version }) => `pkg:npm/${name}@${version}`);
  const local = await startInsightsService({ data: synthesizeData(packages), pageSize: 100 });
  local.faults.latencyMs = 50;
  const http = createHttpClient();
  const document = await readBundledDescription('insights.v3alpha');
  const service = createInsightsService(
    createApiClient({ document, http, rootUrl: local.url, readOnly: true }),
  );
  try {
    const times = await race(3, {
      'page tokens one after the other': async () => {
        const requests = purls.map((purl) => ({ purl }));
        let found = 0;
        for (let pageToken = ''; ; ) {
          const body = pageToken === '' ? { requests } : { requests, pageToken };
          const { value } = await operations.purlLookupBatch(service, body, { signal: never });
          found += value?.responses?.length ?? 0;
          pageToken = value?.nextPageToken ?? '';
          if (pageToken === '') break;
        }
        if (found !== BATCH) throw new Error(`${found} answers`);
      },
      'batches side by side, page size learned anew': async () => {
        let found = 0;
        for await (const { value } of createBatches(service, 32).purls(purls, { signal: never })) {
          if (value !== undefined) found += 1;
        }
        if (found !== BATCH) throw new Error(`${found} answers`);
      },
    });
    console.log(`\n${BATCH} purls, 100 per page, 50 ms of latency (target: 0.10 × or less)`);
    printTimes(times, (ms) => `${ms.toFixed(0)} ms`);
  } finally {
    await http.close();
    await local.close();
  }
}

/** The same bytes from a service in another process: parsed, fetched and parsed, and resolved to records. */
async function benchThroughput(): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'canned-service.ts'), String(PAGE)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const rootUrl = line.toString().trim();
  const text = cannedBatch(PAGE);
  const http = createHttpClient({ connections: CONCURRENCY });
  const agent = new Agent({ connections: CONCURRENCY, allowH2: false });
  const document = await readBundledDescription('insights.v3alpha');
  const service = createInsightsService(createApiClient({ document, http, rootUrl, readOnly: true }));
  const lookUps = Array.from({ length: THROUGHPUT }, (_, index) => lookUpOf(index % PAGE));
  const bodies = Array.from({ length: THROUGHPUT / PAGE }, (_, index) =>
    JSON.stringify({
      requests: lookUps.slice(index * PAGE, (index + 1) * PAGE).map(({ purl }) => ({ purl })),
    }),
  );
  try {
    const times = await race(11, {
      'JSON.parse of the same text': () => bodies.map(() => (JSON.parse(text) as object) && 0),
      'undici and JSON.parse': async () => {
        const limit = pLimit(CONCURRENCY);
        await Promise.all(bodies.map((body) => limit(() => fetchAndParse(agent, rootUrl, body))));
      },
      'Lockhound, from look-ups to records': async () => {
        let resolved = 0;
        const lookUp = createVersionLookUp({ service, limit: pLimit(CONCURRENCY) });
        await lookUp(lookUps, never, (answers) => {
          for (const [, answer] of answers) if ('record' in answer) resolved += 1;
        });
        if (resolved !== THROUGHPUT) throw new Error(`${resolved} records`);
      },
    });
    console.log(
      `\n${THROUGHPUT.toLocaleString('en')} purls, ${PAGE} per batch, ${CONCURRENCY} concurrent batches`,
    );
    printTimes(times, (ms) => `${Math.round(THROUGHPUT / (ms / 1_000)).toLocaleString('en')} purls/s`);
    const [, fetched = [], ours = []] = [...times.values()];
    const share = median(fetched.map((time, index) => time / (ours[index] ?? Number.NaN)));
    console.log(`Lockhound reaches ${(share * 100).toFixed(0)} % of undici and JSON.parse (target: 80 %)`);
  } finally {
    await http.close();
    await agent.close();
    child.stdin.end();
    await once(child, 'close');
  }
}

async function fetchAndParse(agent: Agent, origin: string, body: string): Promise<void> {
  const path = '/v3alpha/purlbatch';
  const headers = { 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  const { responses } = (await answer.body.json()) as { responses: readonly unknown[] };
  if (responses.length !== PAGE) throw new Error(`${responses.length} answers`);
}

function lookUpOf(index: number): LookUp {
  const { name, version } = cannedPackage(index);
  const versionKey = { system: 'NPM', name, version } as const;
  return { key: `NPM:${name}@${version}`, purl: `pkg:npm/${name}@${version}`, versionKey };
}

/** Times of each subject in ms, alternately; the first two rounds are discarded. */
async function race(
  rounds: number,
  subjects: Readonly<Record<string, () => unknown>>,
): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map(Object.keys(subjects).map((name) => [name, [] as number[]]));
  const warmUp = rounds > 3 ? 2 : 0;
  for (let round = 0; round < rounds + warmUp; round += 1) {
    for (const [name, work] of Object.entries(subjects)) {
      const began = performance.now();
      await work();
      if (round >= warmUp) times.get(name)?.push(performance.now() - began);
    }
  }
  return times;
}

function printTimes(times: ReadonlyMap<string, readonly number[]>, figure: (ms: number) => string): void {
  const [[floorName = '', floor = []] = []] = [...times];
  for (const [name, all] of times) {
    const ratio = median(all.map((time, index) => time / (floor[index] ?? Number.NaN)));
    console.log(
      `${name.padEnd(46)} ${figure(median(all)).padStart(16)}   ${ratio.toFixed(2)} × ${floorName}`,
    );
  }
}
