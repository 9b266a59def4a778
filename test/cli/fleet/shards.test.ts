import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shardOf } from '../../../src/store/shards/shard-layout.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { openFleetCli } from './fleet-cli.ts';

const SHARDS = 3;
const folder = mkdtempSync(join(tmpdir(), 'shards-'));
const file = join(folder, 'lockhound.yaml');
let cli: Awaited<ReturnType<typeof openFleetCli>>;
beforeAll(async () => {
  cli = await openFleetCli();
  writeFileSync(file, `redis: { shards: ${SHARDS} }\n`);
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

it('questions are answered over all shards, whose package ids differ', async () => {
  const shards = await cli.shards(SHARDS);
  const { prefix } = (await import('../../../src/store/keys.ts')).createKeys();
  await shards[0]?.redis.set(`${prefix}:shards`, '{"shards":3}');
  const names = Array.from({ length: 9 }, (_, index) => `target-${index}`);
  expect(new Set(names.map((name) => shardOf(name, SHARDS))).size).toBe(SHARDS);
  for (const [index, name] of names.entries()) {
    const others = Array.from({ length: index }, (_, at) => `other-${at}@1.0.0`);
    const change = {
      transition: 'opened',
      fingerprint: name,
      rule: 'vulnerability',
      level: 'alert',
      severity: 'high',
      purl: 'pkg:npm/lodash@4.17.20',
      title: name,
    } as const;
    await shards[shardOf(name, SHARDS)]?.save(
      name,
      [npmFile('package-lock.json', [...others, 'lodash@4.17.20'])],
      {
        findings: [tracked(name, 'lodash@4.17.20', 'high')],
        log: [change],
      },
    );
  }
  const json = async (...args: readonly string[]) => {
    const { code, out, note } = await lockhound([...args, '--json', '--config', file]);
    expect([code, note]).toEqual([0, '']);
    return JSON.parse(out);
  };
  const targetsOf = (rows: readonly { readonly target: string }[]) => rows.map(({ target }) => target);
  const where = await json('where', 'lodash');
  expect(targetsOf(where.places)).toEqual(names);
  expect(where.places.every(({ name }: { name: string }) => name === 'lodash')).toBe(true);
  expect(targetsOf((await json('targets', 'list')).targets)).toEqual(names);
  expect(targetsOf((await json('findings')).findings)).toEqual(names);
  // Scans of the same millisecond have no order.
  const changed = targetsOf((await json('changes', '--since', '1h')).scans);
  expect([...changed].sort()).toEqual([...names].sort());
  expect(targetsOf((await json('simulate', 'advisory', 'lodash')).targets)).toEqual(names);
  await json('targets', 'forget', 'target-4', '--yes');
  expect(targetsOf((await json('where', 'lodash')).places)).toEqual(
    names.filter((name) => name !== 'target-4'),
  );
});
