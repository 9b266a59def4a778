import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFeed } from '../../src/advisories/feed.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import type { FeedPosition } from '../../src/model/advisories/osv-record.ts';
import { createFeedServer } from './feed-server.ts';

const NOW = Date.parse('2026-06-10T12:00:00Z');
const START: FeedPosition = {
  until: '2026-06-10T08:00:00.000Z',
  readAt: '2026-06-10T08:00:00.000Z',
  recent: {},
  open: {},
};
const ONCE = { attempts: 1, baseMs: 1, longestWaitMs: 1 };
const http = createHttpClient();
let server: Awaited<ReturnType<typeof createFeedServer>>;
beforeAll(async () => {
  server = await createFeedServer();
});
afterAll(async () => {
  await server.close();
  await http.close();
});
beforeEach(() => server.reset());

const at = (time: string) => `2026-06-10T${time}Z`;
const read = (position: FeedPosition, now = NOW) =>
  readFeed(server.url, 'npm', position, { http, signal: new AbortController().signal, now });

async function idsAfter(position: FeedPosition) {
  const { records, position: next } = await read(position);
  return { ids: records.map(({ id }) => id).sort(), next };
}

describe('a list of changed advisories', () => {
  it('is read from the position on, and costs one request when nothing changed', async () => {
    server.put('A-1', at('07:59:00'));
    server.put('A-2', at('09:00:00'));
    server.put('OLD-1', '2026-06-01T00:00:00Z');
    const first = await idsAfter(START);
    expect(first.ids).toEqual(['A-1', 'A-2']);
    expect(first.next).toMatchObject({
      until: at('09:00:00.000'),
      readAt: at('12:00:00.000'),
      etag: expect.any(String),
    });
    server.requests.length = 0;
    const second = await idsAfter(first.next);
    expect(second.ids).toEqual([]);
    expect(server.requests).toEqual(['/npm/modified_id.csv 304']);
    server.put('A-3', at('09:30:00'));
    expect((await idsAfter(second.next)).ids).toEqual(['A-3']);
  });

  it('has changes that appear later than newer ones', async () => {
    server.put('A-2', at('09:00:00'));
    const { next } = await idsAfter(START);
    server.put('A-1', at('08:30:00'));
    const later = await idsAfter(next);
    expect(later.ids).toEqual(['A-1']);
    expect((await idsAfter(later.next)).ids).toEqual([]);
  });

  it('is read in parts, as far as it is new', async () => {
    for (let count = 0; count < 5_000; count += 1) server.put(`OLD-${count}`, '2026-06-01T00:00:00Z');
    for (let count = 0; count < 1_500; count += 1)
      server.put(`A-${count}`, new Date(NOW - 3_600_000 + count * 1_000).toISOString());
    let [next, all]: [FeedPosition, string[]] = [START, []];
    for (let reading = 0; reading < 3; reading += 1) {
      const found = await idsAfter(next);
      expect(found.ids.length).toBeLessThanOrEqual(1_000);
      [next, all] = [found.next, [...all, ...found.ids]];
    }
    expect(all.length).toBe(1_500);
    expect(new Set(all).size).toBe(1_500);
    const parts = server.requests.filter((one) => one.startsWith('/npm/modified_id.csv 206'));
    expect(parts.length).toBeLessThan(3 * 4);
  });

  it('names records that cannot be read, which are requested again', async () => {
    server.put('A-1', at('09:00:00'), { status: 404 });
    server.put('A-2', at('09:00:00'), { body: '{"id": "A-2"' });
    server.put('A-3', at('09:00:00'), { body: JSON.stringify({ id: 'B-3', modified: at('09:00:00') }) });
    server.put('A-4', at('09:00:00'));
    const { records, problems, position } = await read(START);
    expect(records.map(({ id }) => id)).toEqual(['A-4']);
    expect([...problems].sort()).toEqual([
      expect.stringMatching(/^A-1: .*HTTP 404/),
      expect.stringMatching(/^A-2: .*JSON/),
      expect.stringMatching(/^A-3: the record at its address is B-3/),
    ]);
    server.put('A-1', at('09:00:00'));
    const second = await read(position);
    expect(second.records.map(({ id }) => id)).toEqual(['A-1']);
    // Nothing forgets them: health names them until they can be read.
    const last = await read(second.position, NOW + 25 * 3_600_000);
    expect(Object.keys(last.position.open).sort()).toEqual(['A-2', 'A-3']);
    server.put('A-2', at('09:00:00'));
    const later = await read(last.position, NOW + 26 * 3_600_000);
    expect(later.records.map(({ id }) => id)).toEqual(['A-2']);
    expect(Object.keys(later.position.open)).toEqual(['A-3']);
  });

  it('requests some of the records that cannot be read for more than a day, each in turn', async () => {
    const since = new Date(NOW - 30 * 3_600_000).toISOString();
    const open = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`A-${index}`, since]));
    server.put('B-1', at('09:00:00'));
    let position: FeedPosition = { ...START, open };
    const asked = new Set<string>();
    for (let reading = 0; reading < 3; reading += 1) {
      const found = await read(position);
      for (const problem of found.problems) asked.add(problem.split(':', 1)[0] ?? '');
      expect(found.problems.length).toBe(8);
      expect(Object.keys(found.position.open).length).toBe(20);
      position = found.position;
    }
    expect(asked.size).toBe(20);
  });

  it.each<[string, () => void]>([
    ['goes back', () => server.put('A-1', '2026-06-02T00:00:00Z')],
    ['is cut', () => server.list(`2026-06-02T00:00:00Z,A-1\n2026-06-10T09:0`)],
    ['lies about time', () => server.put('A-1', '2031-01-01T00:00:00Z')],
    ['is of 1970', () => server.put('A-1', '1970-01-01T00:00:00Z')],
    [
      'names what is no id',
      () =>
        server.list(
          `2026-06-02T00:00:00Z,A-1\n${at('09:00:00')},../../etc/passwd\n2026-06-01T00:00:00Z,A-2\n`,
        ),
    ],
  ])('that %s changes nothing', async (_, change) => {
    change();
    const { ids, next } = await idsAfter(START);
    expect(ids).toEqual([]);
    expect(next.until).toBe(START.until);
    server.reset();
    server.put('A-9', at('09:00:00'));
    expect((await idsAfter(next)).ids).toEqual(['A-9']);
  });

  it.each<[string, () => void]>([
    ['is a page', () => server.list('<html>\n<body>\nsign in\n</body>\n</html>')],
    ['is empty', () => server.list('')],
    ['names no id', () => server.list(`${at('09:00:00')},../../etc/passwd\n${at('09:00:00')},a b\n`)],
  ])('that %s is none', async (_, change) => {
    change();
    await expect(read(START)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/no list of changes/),
    });
  });

  it('that goes back behind what was read of it is refused', async () => {
    server.put('A-1', at('09:00:00'));
    const { next } = await idsAfter(START);
    server.reset();
    server.put('OLD-1', '2026-06-02T00:00:00Z');
    await expect(read(next)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/goes back.*2026-06-02/),
    });
  });

  it('of a time that has not come says so, until it is another list', async () => {
    server.put('A-1', '2031-01-01T00:00:00Z');
    server.put('A-2', at('09:00:00'));
    const { records, position, problems } = await read(START);
    expect(records.map(({ id }) => id)).toEqual(['A-2']);
    expect(position.fault).toMatch(/^1 changes .* A-1 of 2031-01-01/);
    expect(problems).toEqual([position.fault]);
    expect((await read(position)).position.fault).toBe(position.fault);
    server.reset();
    server.put('A-2', at('09:00:00'));
    expect((await read(position)).position.fault).toBeUndefined();
  });

  it('is read on behind a change with a wrong time', async () => {
    for (let count = 0; count < 4_000; count += 1)
      server.put(`A-${count}`, new Date(NOW - 3_600_000 + count).toISOString());
    const { records } = await read({ ...START, open: {} });
    expect(records.length).toBe(1_000);
    const text = server.text();
    server.list(`1970-01-01T00:00:00Z,A-9999\n${text}`);
    expect((await read(START)).records.map(({ id }) => id).sort()).toEqual(
      records.map(({ id }) => id).sort(),
    );
  });

  it.each([true, false])('of more ids than are followed is refused, with ranges: %s', async (hasRanges) => {
    // Of more bytes than are read, too.
    const lines = Array.from(
      { length: 120_000 },
      (_, count) => `${at('09:00:00')},${'A'.repeat(120)}-${count}`,
    );
    expect(lines.length * (lines[0]?.length ?? 0)).toBeGreaterThan(256 * 65_536);
    server.list(lines.join('\n'), { hasRanges });
    await expect(read(START)).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/more than 100000/),
    });
    // Only the begin of it is read.
    expect(server.requests.length).toBeLessThanOrEqual(256);
  });

  it('that never ends is given up', async () => {
    const bounded = createHttpClient({ totalTimeoutMs: 300, maxResponseBytes: 1_048_576, retry: ONCE });
    server.stream();
    const options = { http: bounded, signal: new AbortController().signal, now: NOW };
    await expect(readFeed(server.url, 'npm', START, options)).rejects.toMatchObject({ code: 'unavailable' });
    await bounded.close();
  });

  it('whose records never come holds nothing up: they are requested again', async () => {
    server.put('A-1', at('09:00:00'));
    server.put('A-2', at('09:10:00'), { hangs: true });
    const options = { http, signal: new AbortController().signal, now: NOW, recordsMs: 200 };
    const { records, position } = await readFeed(server.url, 'npm', START, options);
    expect(records.map(({ id }) => id)).toEqual(['A-1']);
    expect(position).toMatchObject({ until: at('09:10:00.000'), open: { 'A-2': at('12:00:00.000') } });
  });

  it('forgets no change of a time before an outage of days because its record failed once', async () => {
    server.put('A-1', '2026-06-08T09:00:00Z', { status: 503 });
    server.put('A-2', '2026-06-10T09:00:00Z');
    const first = await read({ ...START, until: '2026-06-08T08:00:00.000Z' });
    expect(first.records.map(({ id }) => id)).toEqual(['A-2']);
    server.put('A-1', '2026-06-08T09:00:00Z');
    expect((await read(first.position)).records.map(({ id }) => id)).toEqual(['A-1']);
  });

  it('that cannot be read is an error, and the position stays', async () => {
    server.fail(503);
    await expect(read(START)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('of a time that is soon is read once', async () => {
    server.put('A-1', '2026-06-10T12:30:00Z');
    const { ids, next } = await idsAfter(START);
    expect(ids).toEqual(['A-1']);
    expect(next.until).toBe(START.until);
    server.put('A-2', at('07:30:00'));
    expect((await idsAfter(next)).ids).toEqual(['A-2']);
  });
});
