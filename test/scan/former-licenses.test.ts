import { expect, it } from 'vitest';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import { licenseChanged } from '../../src/policy/rules/license-changed.ts';
import { formerLicenses } from '../../src/scan/judge.ts';
import { locked, ports } from '../jobs/facts.ts';
import { changeOf } from '../notify/notification.ts';

const target = { id: 'shop', labels: {} };

function packageOf(name: string, version: string, licenses: readonly string[] = []): ResolvedPackage {
  const plain = locked(name, { version, purl: `pkg:pypi/${name}@${version}` });
  const { record } = plain.resolution;
  if (record === undefined) throw new Error('it is resolved');
  return { ...plain, resolution: { outcome: 'resolved', record: { ...record, licenses: [...licenses] } } };
}

/** The findings of a scan after one that locked `old`; `stated`: licences that the fleet knows. */
async function judge(
  old: readonly ResolvedPackage[],
  now: readonly ResolvedPackage[],
  { level = 'note', sha256 = 'new', findings = [] as TargetState['findings'] } = {},
) {
  const given = ports({});
  const stated = new Map(
    old.map(({ name, version, resolution }) => [`PYPI:${name}@${version}`, resolution.record]),
  );
  const state: TargetState = {
    revision: 1,
    scan: 's',
    requestedAt: '2026-01-01T00:00:00Z',
    findings,
    lockfiles: [{ path: 'a.lock', sha256: 'old', inventory: 'stored' }],
  };
  const found = await formerLicenses({
    previous: state,
    inventory: { lockfiles: [{ path: 'a.lock', sha256, format: 'f', packages: now, problems: [] }] },
    target,
    policy: {
      ...given.policy.policy(),
      rules: { 'license-changed': { level: level as 'note' | 'off' } },
    },
    fleet: {
      inventory: async () =>
        ({ format: 'f', problems: [], packages: old.map((one) => ({ locked: one })) }) as never,
      versions: {
        read: async (keys) =>
          keys.map((key) => {
            const record = stated.get(key);
            return record === undefined ? undefined : { record };
          }),
      },
    },
  });
  return now.flatMap((one) =>
    licenseChanged.judge({ locked: one } as never, { formerLicenses: found } as never),
  );
}

it('finds a licence that changed with the version', async () => {
  const found = await judge(
    [packageOf('redis', '7.2.0', ['BSD-3-Clause']), packageOf('same', '1', ['MIT'])],
    [packageOf('redis', '7.4.0', ['RSALv2', 'SSPL-1.0']), packageOf('same', '2', ['MIT'])],
  );
  expect(found).toMatchObject([
    {
      issue: '7.2.0 BSD-3-Clause',
      title: 'redis: the licence is RSALv2 AND SSPL-1.0 in 7.4.0, and was BSD-3-Clause in 7.2.0',
    },
  ]);
});

it('finds nothing for a version beside the old one, an unknown licence, or where the rule is off', async () => {
  const [old, now] = [packageOf('redis', '7.2.0', ['MIT']), packageOf('redis', '7.4.0', ['SSPL-1.0'])];
  expect(await judge([old], [old, now])).toEqual([]);
  expect(await judge([packageOf('redis', '7.2.0')], [now])).toEqual([]);
  expect(await judge([old], [packageOf('redis', '7.4.0')])).toEqual([]);
  expect(await judge([old], [now], { level: 'off' })).toEqual([]);
});

it('keeps a finding open while its version is locked', async () => {
  const now = packageOf('redis', '7.4.0', ['SSPL-1.0']);
  const { finding } = changeOf('redis');
  const open = {
    finding: {
      ...finding,
      rule: 'license-changed',
      issue: '7.2.0 BSD-3-Clause AND MIT',
      package: { ...finding.package, purl: now.purl },
    },
    status: 'open' as const,
    openedAt: '2026-01-01T00:00:00Z',
    changedAt: '2026-01-01T00:00:00Z',
  };
  const found = await judge([now], [now], { sha256: 'old', findings: [open] });
  expect(found).toMatchObject([{ key: '7.2.0', issue: '7.2.0 BSD-3-Clause AND MIT' }]);
});
