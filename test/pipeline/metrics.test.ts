import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('a worker counts a scan from its queue to the delivery of the alert', async () => {
  const room = await world.room('metrics', [], { platform: false });
  const worker = room.work({
    LOCKHOUND_WORKER_HEALTH_PORT: '0',
    LOCKHOUND_WORKER_RECHECK_OPEN: '10m',
  });
  const health = await expect
    .poll(() => /"health":"(http[^"]+)"/.exec(worker.output())?.[1] ?? '')
    .not.toBe('')
    .then(() => /"health":"(http[^"]+)"/.exec(worker.output())?.[1]);
  await room.producer.enqueue({
    scan: 'one',
    target: { id: 'shop', labels: {} },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });
  const verdict = await room.verdict('one');
  const scrape = async () => {
    const answer = await fetch(`${health}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    return await answer.text();
  };
  await expect
    .poll(scrape)
    .toContain('lockhound_jobs_total{queue="deliver-notification",result="finished"} 1');
  const text = await scrape();
  expect(text).toContain('lockhound_delivery_attempts_total{route="default",result="accepted"} 1');
  for (const queue of ['ingest-lockfiles', 'judge-scan', 'deliver-notification']) {
    expect(text).toContain(`lockhound_jobs_total{queue="${queue}",result="finished"} 1`);
    expect(text).toContain(`lockhound_job_duration_seconds_count{queue="${queue}"} 1`);
  }
  // Its wait for a worker; `judge-scan` waited for its children, which is intended.
  expect(text).toContain('lockhound_job_wait_seconds_count{queue="ingest-lockfiles"} 1');
  expect(text).not.toContain('lockhound_job_wait_seconds_count{queue="judge-scan"}');
  const counted = [...text.matchAll(/^lockhound_finding_changes_total\{.*\} (\d+)$/gm)];
  expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(verdict.changes.length);
  const open = [...text.matchAll(/^lockhound_open_findings\{.*\} (\d+)$/gm)];
  expect(open.length).toBeGreaterThan(0);
  expect(text).not.toContain('lockhound_open_findings{rule="unknown"');
  // The advice on the findings looks further versions up.
  const lookUps = /^lockhound_look_ups_total\{kind="version",outcome="found",source="service"\} (\d+)$/m;
  expect(Number(lookUps.exec(text)?.[1])).toBeGreaterThanOrEqual(3);
  expect(text).toMatch(
    /^lockhound_look_ups_total\{kind="version",outcome="missing",source="service"\} \d+$/m,
  );
  expect(text).toMatch(/^lockhound_http_requests_total\{service="insights",status="2xx"\} \d+$/m);
  expect(text).toContain('lockhound_http_requests_total{service="receiver",status="2xx"} 1');
  await worker.stop();
});
