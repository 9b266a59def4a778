import { describe, expect, it } from 'vitest';
import { gatherDigest } from '../../src/jobs/gather-digest.ts';
import { followUp } from '../../src/jobs/job.ts';
import { DELIVER_NOTIFICATION } from '../../src/jobs/payloads/deliver-notification.ts';

const delivery = { scan: 's-1', target: 'shop', route: 'default', requestedAt: '2026-11-21T00:00:00Z' };

describe('a follow-up', () => {
  it('is the envelope of its job, with its children', () => {
    const child = followUp(gatherDigest, { of: 'changes', route: 'weekly', window: '2026-11-21T00:00:00Z' });
    expect(followUp(DELIVER_NOTIFICATION, delivery, [child])).toEqual({
      job: 'deliver-notification',
      version: 1,
      key: 's-1.default',
      payload: delivery,
      children: [child],
    });
  });
});
