import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { startTestServer } from '../http/test-server.ts';

interface Given {
  readonly status?: number;
  readonly body?: string;
  /** It is never answered. */
  readonly hangs?: boolean;
}

type Answer = (status: number, body?: string | Buffer, headers?: OutgoingHttpHeaders) => void;

/** Publishes advisories of npm as OSV does: a list of changes, the newest first, with ETag and ranges, and each record. */
export async function createFeedServer() {
  let records = new Map<string, { readonly time: string; readonly given: Given }>();
  let text: string | undefined;
  let failing: number | undefined;
  let hasRanges = true;
  let isEndless = false;
  const requests: string[] = [];
  const arrivals = new EventEmitter();
  const listText = (): string =>
    text ??
    [...records]
      .sort(([, one], [, other]) => Date.parse(other.time) - Date.parse(one.time))
      .map(([id, { time }]) => `${time},${id}\n`)
      .join('');
  /** The list, until it changes. */
  let kept: { readonly list: Buffer; readonly etag: string } | undefined;
  const listNow = () => {
    if (kept !== undefined) return kept;
    const list = Buffer.from(listText());
    kept = { list, etag: `"${createHash('sha256').update(list).digest('hex').slice(0, 16)}"` };
    return kept;
  };
  const answerList = (asked: IncomingHttpHeaders, answer: Answer) => {
    const { list, etag } = listNow();
    if (asked['if-none-match'] === etag) return answer(304, '', { etag });
    const [, from = 0, to = 0] = (/bytes=(\d+)-(\d+)/.exec(asked.range ?? '') ?? []).map(Number);
    if (!hasRanges) return answer(200, list, { etag });
    if (from >= list.length) return answer(416, '', { etag });
    return answer(206, list.subarray(from, to + 1), { etag });
  };
  const server = await startTestServer((request, response) => {
    arrivals.emit('request');
    const answer: Answer = (status, body = '', headers = {}) => {
      requests.push(`${request.url} ${status}`);
      response.writeHead(status, headers).end(body);
    };
    if (failing !== undefined) return answer(failing);
    if (request.url !== '/npm/modified_id.csv') {
      const id = /^\/npm\/(.*)\.json$/.exec(request.url ?? '')?.[1] ?? '';
      const known = records.get(id);
      if (known === undefined) return answer(404);
      if (known.given.hangs === true) return;
      const affected = [
        {
          package: { ecosystem: 'npm', name: 'left' },
          ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
        },
      ];
      const { status = 200, body = JSON.stringify({ id, modified: known.time, affected }) } = known.given;
      return answer(status, body);
    }
    if (isEndless) return endless(response);
    return answerList(request.headers, answer);
  });
  return {
    ...server,
    requests,
    /** Emits `request` when one arrives, before it is answered. */
    arrivals,
    reset(): void {
      records = new Map();
      [text, failing, kept] = [undefined, undefined, undefined];
      [hasRanges, isEndless] = [true, false];
      requests.length = 0;
    },
    /** Lists a change. Default: its record affects all versions of `left`. */
    put(id: string, time: string, given: Given = {}): void {
      records.set(id, { time, given });
      kept = undefined;
    },
    /** Replaces the list. */
    list(content: string, options: { readonly hasRanges?: boolean } = {}): void {
      [text, kept] = [content, undefined];
      hasRanges = options.hasRanges ?? true;
    },
    text: listText,
    /** Answers with a list that does not end. */
    stream(): void {
      isEndless = true;
    },
    fail(status: number): void {
      failing = status;
    },
  };
}

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const write = (): void => {
    while (!response.destroyed && response.write('2026-06-10T09:00:00Z,A-1\n'.repeat(1_000)));
    if (!response.destroyed) response.once('drain', write);
  };
  write();
}
