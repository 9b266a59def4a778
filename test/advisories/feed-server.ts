import { createHash } from 'node:crypto';
import { startTestServer } from '../http/test-server.ts';

interface Given {
  readonly status?: number;
  readonly body?: string;
}

/** Publishes advisories of npm as OSV does: a list of changes, the newest first, with ETag and ranges, and each record. */
export async function createFeedServer() {
  let records = new Map<string, { readonly time: string; readonly given: Given }>();
  let text: string | undefined;
  let failing: number | undefined;
  const requests: string[] = [];
  const listText = (): string =>
    text ??
    [...records]
      .sort(([, one], [, other]) => Date.parse(other.time) - Date.parse(one.time))
      .map(([id, { time }]) => `${time},${id}\n`)
      .join('');
  const server = await startTestServer((request, response) => {
    const answer = (status: number, body: string | Buffer = '', headers = {}) => {
      requests.push(`${request.url} ${status}`);
      response.writeHead(status, headers).end(body);
    };
    if (failing !== undefined) return answer(failing);
    if (request.url !== '/npm/modified_id.csv') {
      const id = /^\/npm\/(.*)\.json$/.exec(request.url ?? '')?.[1] ?? '';
      const known = records.get(id);
      if (known === undefined) return answer(404);
      const affected = [
        {
          package: { ecosystem: 'npm', name: 'left' },
          ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
        },
      ];
      const { status = 200, body = JSON.stringify({ id, modified: known.time, affected }) } = known.given;
      return answer(status, body);
    }
    const list = Buffer.from(listText());
    const etag = `"${createHash('sha256').update(list).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) return answer(304, '', { etag });
    const [, from = 0, to = 0] = (/bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []).map(Number);
    if (from >= list.length) return answer(416, '', { etag });
    return answer(206, list.subarray(from, to + 1), { etag });
  });
  return {
    ...server,
    requests,
    reset(): void {
      records = new Map();
      [text, failing] = [undefined, undefined];
      requests.length = 0;
    },
    /** Lists a change. Default: its record affects all versions of `left`. */
    put: (id: string, time: string, given: Given = {}) => void records.set(id, { time, given }),
    /** Replaces the list. */
    list(content: string): void {
      text = content;
    },
    fail(status: number): void {
      failing = status;
    },
  };
}
