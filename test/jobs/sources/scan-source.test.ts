import { describe, expect, it } from 'vitest';
import type { Ports } from '../../../src/jobs/ports.ts';
import { scanSource } from '../../../src/jobs/sources/scan-source.ts';
import type { ScanRecordUpdate } from '../../../src/model/scan/scan-record.ts';
import { context, FakeError, ports } from '../facts.ts';

const requestedAt = '2026-05-01T00:00:00Z';
const payload = {
  scan: 's1',
  target: { id: 'shop', labels: { team: 'web' } },
  source: { kind: 'git', repository: 'https://git.example/shop.git', ref: 'main', exclude: [] },
  requestedAt,
} as const;
const sha256 = 'a'.repeat(64);

function run(read: Ports['sources']['read'], more: object = {}) {
  return scanSource.run(payload as never, ports({ sources: { read } }), { ...context(), ...more });
}

describe('the scan of a source', () => {
  it('has the lockfiles of the source', async () => {
    const files = [{ path: 'yarn.lock', sha256, bytes: 5 }];
    const { next, result } = await run(async () => ({ revision: { commit: 'c' }, files }));
    expect(result).toEqual({ files: 1 });
    expect(next).toMatchObject([
      {
        job: 'ingest-lockfiles',
        key: 's1',
        payload: { scan: 's1', target: payload.target, lockfiles: files, requestedAt },
      },
    ]);
  });

  it('is tried again after a fault that may pass, and fails with its reason at last', async () => {
    const fault = new FakeError('fake', 'no answer', { retryable: true });
    const read = async () => Promise.reject(fault);
    await expect(run(read)).rejects.toBe(fault);
    const failed = { state: 'failed', scan: 's1', target: 'shop', requestedAt };
    expect(await run(read, { lastAttempt: true })).toMatchObject({
      next: [],
      record: { ...failed, reason: 'no answer' },
    });
    const refused = new FakeError('fake', 'not found');
    expect(await run(async () => Promise.reject(refused))).toMatchObject({
      record: { ...failed, reason: 'not found' },
    });
  });

  it('is recorded as failed when its job fails for good', async () => {
    const records: ScanRecordUpdate[] = [];
    const scans = { fail: async (record: ScanRecordUpdate) => void records.push(record) };
    const ending = { kind: 'failed', reason: 'killed' } as const;
    await scanSource.onEnd?.(payload as never, ending as never, { ...ports({}), scans });
    expect(records).toMatchObject([{ scan: 's1', state: 'failed', reason: 'killed' }]);
  });
});
