import { describe, expect, it } from 'vitest';
import { judgeScan } from '../../src/jobs/judge-scan.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Inventory, ResolvedPackage } from '../../src/model/scan/inventory.ts';
import { TARGET_STATE } from '../../src/model/stored/catalog.ts';
import { affected, context, locked, ports } from './facts.ts';

const ADVISORY = { id: 'GHSA-1', url: 'https://osv.dev/1', title: 'one', aliases: [], score: 7.5 };

function at(version: string, advisories: readonly string[] = []): ResolvedPackage {
  const one = affected('left', advisories);
  const { record } = one.resolution;
  if (record === undefined) throw new Error('a resolved package has a record');
  const resolution = {
    outcome: 'resolved',
    record: { ...record, versionKey: { ...record.versionKey, version } },
  } as const;
  return { ...one, id: `left@${version}`, version, purl: `pkg:pypi/left@${version}`, resolution };
}

/** Scans of one target, one after the other; each returns the titles of the notes about packages that went back. */
function target() {
  let state: TargetState | undefined;
  let scans = 0;
  return {
    fixed: () => state?.fixed,
    async scan(files: Readonly<Record<string, readonly ResolvedPackage[]>>, partial = false) {
      scans += 1;
      const scan = `s${scans}`;
      const inventory: Inventory = {
        lockfiles: Object.entries(files).map(([path, packages]) => ({
          path,
          sha256: '00',
          format: 'requirements',
          packages,
          problems: [],
        })),
        unread: [],
      };
      const payload = {
        scan,
        target: { id: 't', labels: {} },
        requestedAt: `2026-01-0${scans}T00:00:00Z`,
        dividedAt: 0,
        advisoryParts: 1,
        expansionParts: 0,
        ...(partial ? { partial } : {}),
      };
      const run = await judgeScan.run(
        payload,
        ports({
          ...(state === undefined ? {} : { state }),
          outcomes: new Map<string, unknown>([
            [`ingest-lockfiles/${scan}`, inventory],
            [`collect-advisories/${scan}.0.0`, { advisories: [ADVISORY], failed: [] }],
          ]),
        }),
        context(),
      );
      // As it is stored and read.
      const schema = await TARGET_STATE.schema();
      if (run.state !== undefined && 'state' in run.state) {
        state = schema.parse(JSON.parse(JSON.stringify(run.state.state)));
      }
      const notes = run.result.findings.filter(({ rule }) => rule === 'downgraded');
      expect(notes.every(({ level }) => level === 'note')).toBe(true);
      return notes.map(({ title }) => title);
    },
  };
}

describe('downgraded', () => {
  it('is a version below one that fixed a finding, until the package is as late again', async () => {
    const one = target();
    expect(await one.scan({ 'a.txt': [at('1.0.0', ['GHSA-1'])] })).toEqual([]);
    expect(await one.scan({ 'a.txt': [at('1.2.0')] })).toEqual([]);
    const title = 'left 1.1.0 is earlier than 1.2.0, which fixed GHSA-1 here on 2026-01-02';
    expect(await one.scan({ 'a.txt': [at('1.1.0')] })).toEqual([title]);
    expect(await one.scan({ 'a.txt': [at('1.1.0'), locked('other')] })).toEqual([title]);
    expect(await one.scan({ 'a.txt': [at('1.3.0')] })).toEqual([]);
  });

  it('is not a version that was beside the fix, or in another lockfile', async () => {
    const one = target();
    await one.scan({ 'a.txt': [at('0.9.0'), at('1.0.0', ['GHSA-1'])], 'b.txt': [at('0.8.0')] });
    await one.scan({ 'a.txt': [at('0.9.0'), at('1.2.0')], 'b.txt': [at('0.8.0')] });
    expect(await one.scan({ 'a.txt': [at('0.9.0')], 'b.txt': [at('0.8.0')] })).toEqual([]);
    expect(await one.scan({ 'b.txt': [at('0.7.0')] }, true)).toEqual([]);
  });

  it('does not take a withdrawn advisory or a removed package for a fix', async () => {
    const one = target();
    await one.scan({ 'a.txt': [at('1.0.0', ['GHSA-1'])] });
    await one.scan({ 'a.txt': [at('1.0.0')] });
    await one.scan({ 'a.txt': [at('1.0.0', ['GHSA-1'])] });
    await one.scan({ 'a.txt': [locked('other')] });
    expect(one.fixed()).toBeUndefined();
  });
});
