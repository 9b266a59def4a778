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
import { createBatches } from '../src/insights/batch/operations.ts';
import * as operations from '../src/insights/operations.ts';
import { readVersionRecord } from '../src/insights/records/version-record.ts';
import type { LookUp } from '../src/insights/resolve/eligibility.ts';
import { createVersionLookUp, RESULT_FIELDS } from '../src/insights/resolve/version-look-up.ts';
import { createInsightsService, type InsightsService } from '../src/insights/service.ts';
import { cannedBatch, cannedPackage } from './canned-batch.ts';
import { rowsOf, type Table, timeInTurn } from './rows.ts';
import { synthesizeData } from './synthetic-data.ts';

const ANSWER_FIELDS = ['nextPageToken', ...RESULT_FIELDS.map((field) => `responses.result.${field}`)];
const BATCH = 5_000;
const PAGE = 1_000;
const CONCURRENCY = 8;
const isChecked = true as const;
const never = new AbortController().signal;

/** The cost of a look-up: checking answers, following pages, and the whole path from purl to record. */
export async function* measure(_args: readonly string[], isShort: boolean): AsyncIterable<Table> {
  yield await benchCheck(isShort);
  if (!isShort) yield await benchPages();
  yield await benchThroughput(isShort ? 20_000 : 100_000, isShort ? 9 : 11);
}

/** One answer of 5,000 entries: parsed, and parsed and checked. */
async function benchCheck(isShort: boolean): Promise<Table> {
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
  const floor = 'JSON.parse';
  const subjects = [
    { name: floor, work: parse },
    { name: 'and the fields that are read checked', floor, isChecked, work: () => accept(narrow) },
    { name: 'and all fields checked', floor, isChecked, work: () => accept(whole) },
    {
      name: 'and the fields checked, made records',
      floor,
      isChecked,
      work: () => accept(narrow).responses.map(({ result }) => readVersionRecord(result.version)),
    },
  ];
  const rows = rowsOf(subjects, await timeInTurn(subjects, isShort ? 15 : 25, 5));
  return { title: `one answer of ${BATCH} versions, ${(text.length / 1e6).toFixed(2)} MB`, rows };
}

/** A service with 100 answers per page and 50 ms of latency: page by page, and as the client does it. */
async function benchPages(): Promise<Table> {
  const packages = Array.from({ length: BATCH }, (_, index) => cannedPackage(index));
  const purls = packages.map(({ name, version }) => `pkg:npm/${name}@${version}`);
  const local = await startInsightsService({ data: synthesizeData(packages), pageSize: 100 });
  local.faults.latencyMs = 50;
  const http = createHttpClient();
  const document = await readBundledDescription('insights.v3alpha');
  const service = createInsightsService(
    createApiClient({ document, http, rootUrl: local.url, readOnly: true }),
  );
  const floor = 'page tokens one after the other';
  const subjects = [
    { name: floor, work: () => pageByPage(service, purls) },
    { name: 'batches side by side', floor, aim: 0.1, work: () => sideBySide(service, purls) },
  ];
  try {
    const rows = rowsOf(subjects, await timeInTurn(subjects, 3, 0, { clock: 'wall' }));
    return { title: `${BATCH} purls, 100 a page, 50 ms of latency`, rows };
  } finally {
    await http.close();
    await local.close();
  }
}

async function pageByPage(service: InsightsService, purls: readonly string[]): Promise<void> {
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
}

/** Learns the page size anew. */
async function sideBySide(service: InsightsService, purls: readonly string[]): Promise<void> {
  let found = 0;
  for await (const { value } of createBatches(service, 32).purls(purls, { signal: never })) {
    if (value !== undefined) found += 1;
  }
  if (found !== BATCH) throw new Error(`${found} answers`);
}

/** The same bytes from a service in another process: parsed, fetched and parsed, and resolved to records. */
async function benchThroughput(count: number, rounds: number): Promise<Table> {
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
  const lookUps = Array.from({ length: count }, (_, index) => lookUpOf(index % PAGE));
  const bodies = Array.from({ length: count / PAGE }, (_, index) =>
    JSON.stringify({
      requests: lookUps.slice(index * PAGE, (index + 1) * PAGE).map(({ purl }) => ({ purl })),
    }),
  );
  const floor = 'undici and JSON.parse';
  const subjects = [
    {
      name: floor,
      work: async () => {
        const limit = pLimit(CONCURRENCY);
        await Promise.all(bodies.map((body) => limit(() => fetchAndParse(agent, rootUrl, body))));
      },
    },
    {
      name: 'JSON.parse of the same text',
      floor,
      work: () => bodies.map(() => (JSON.parse(text) as object) && 0),
    },
    {
      name: 'lockhound, from look-ups to records',
      floor,
      aim: 1.11,
      isChecked,
      work: () => lookAllUp(service, lookUps),
    },
  ];
  try {
    const rows = rowsOf(subjects, await timeInTurn(subjects, rounds, 3));
    return { title: `${count} purls, ${PAGE} a batch, ${CONCURRENCY} concurrent batches`, rows };
  } finally {
    await http.close();
    await agent.close();
    child.stdin.end();
    await once(child, 'close');
  }
}

async function lookAllUp(service: InsightsService, lookUps: readonly LookUp[]): Promise<void> {
  let resolved = 0;
  const lookUp = createVersionLookUp({ service, limit: pLimit(CONCURRENCY) });
  await lookUp(lookUps, never, (answers) => {
    for (const [, answer] of answers) if ('record' in answer) resolved += 1;
  });
  if (resolved !== lookUps.length) throw new Error(`${resolved} records`);
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
