import { expect, it } from 'vitest';
import { WORK_CHECKS } from '../../src/commands/doctor/work-checks.ts';

/** What the check of lanes says of a shard with a number of open jobs, each without a lane. */
async function checked(count: number) {
  async function* list() {
    for (let id = 0; id < count; id += 1) yield { id: String(id), job: 'ingest-lockfiles', data: {} };
  }
  const shard = { openJobs: { list }, deliveries: { stoppedRoutes: async () => [] } };
  const lanes = WORK_CHECKS.find(({ name }) => name === 'lanes');
  return await lanes?.run({ stores: { shards: [shard] } } as never);
}

it('the check of lanes says that it did not look at all open jobs', async () => {
  expect(await checked(50_000)).toMatchObject({ verdict: 'fine', says: 'every lane has a job that can run' });
  expect(await checked(50_001)).toMatchObject({
    verdict: 'degraded',
    says: 'no lane stands still in the first 50000 open jobs; the others are not known',
  });
});
