import { describe, expect, it } from 'vitest';
import { recentOutcomes } from '../../src/compose/recent-outcomes.ts';

/** Answers from `stored` after a turn of the event loop, and counts. */
function reader(stored: Map<string, unknown>) {
  const reads: string[] = [];
  const read = async (job: string, key: string): Promise<unknown> => {
    reads.push(`${job}/${key}`);
    await new Promise((resolve) => setImmediate(resolve));
    const value = stored.get(key);
    if (value instanceof Error) throw value;
    return value;
  };
  return { reads, port: recentOutcomes(read) };
}

describe('verdicts read last', () => {
  it('are taken apart once, also for many readers at once', async () => {
    const { reads, port } = reader(new Map([['s', { scan: 's' }]]));
    const results = await Promise.all(Array.from({ length: 50 }, () => port.read('judge-scan', 's')));
    expect(new Set(results).size).toBe(1);
    expect(await port.read('judge-scan', 's')).toBe(results[0]);
    expect(reads).toEqual(['judge-scan/s']);
  });

  it('are few: the one not asked for the longest goes', async () => {
    const stored = new Map(['a', 'b', 'c', 'd', 'e'].map((key) => [key, { key }]));
    const { reads, port } = reader(stored);
    for (const key of ['a', 'b', 'c', 'd', 'a', 'e', 'a', 'b']) await port.read('judge-scan', key);
    expect(reads.map((read) => read.at(-1))).toEqual(['a', 'b', 'c', 'd', 'e', 'b']);
  });

  it('are asked for again when there was none, or no answer', async () => {
    const stored = new Map<string, unknown>([['broken', new Error('no connection')]]);
    const { port } = reader(stored);
    expect(await port.read('judge-scan', 'late')).toBeUndefined();
    await expect(port.read('judge-scan', 'broken')).rejects.toThrow('no connection');
    stored.set('late', 1).set('broken', 2);
    expect(await port.read('judge-scan', 'late')).toBe(1);
    expect(await port.read('judge-scan', 'broken')).toBe(2);
  });

  it('leave what is read once alone: it may be large', async () => {
    const { reads, port } = reader(new Map([['s', {}]]));
    await port.read('ingest-lockfiles', 's');
    await port.read('ingest-lockfiles', 's');
    expect(reads).toHaveLength(2);
  });
});
