import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dossier } from '../../../src/model/api/lockhound-api.generated.ts';
import type { Finding } from '../../../src/model/scan/finding.ts';
import { csafFaults } from '../../report/csaf-rules.ts';
import { npmFile, tracked } from '../../store/fleet/fleet-room.ts';
import { lockhound } from '../lockhound.ts';
import { type Fleet, openFleetCli } from './fleet-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
let cli: Awaited<ReturnType<typeof openFleetCli>>;
let fleet: Fleet;
beforeAll(async () => {
  cli = await openFleetCli();
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

const advisory = {
  id: 'GHSA-debug',
  aliases: ['CVE-2026-1234'],
  title: 'Worm in <debug>',
  url: 'https://example.com/GHSA-debug',
  score: 9.8,
  vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
};
const finding = (target: string, more: Partial<Finding> = {}) =>
  tracked(target, 'debug@4.4.2', 'critical', {
    finding: {
      advisory,
      locations: [{ path: 'package-lock.json', line: 2, dependencyPath: ['app@1.0.0', 'debug@4.4.2'] }],
      ...more,
    },
  });
const OPENED = {
  transition: 'opened',
  rule: 'vulnerability',
  severity: 'critical',
  purl: 'pkg:npm/debug@4.4.2',
  advisory: 'GHSA-debug',
  aliases: ['CVE-2026-1234'],
} as const;

async function save(
  target: string,
  id: string,
  requestedAt: string,
  findings: readonly ReturnType<typeof finding>[],
) {
  await fleet.save(target, [npmFile('package-lock.json', ['app@1.0.0', id])], {
    labels: { team: 'web' },
    findings: [...findings],
    ledger: { requestedAt, findings: findings.length === 0 ? [] : [{ ...OPENED, routes: ['soc'] }] },
  });
}

beforeEach(async () => {
  fleet = await cli.fresh();
  const record = { isDefault: true, isDeprecated: false, licenses: [], advisoryIds: ['GHSA-debug'] };
  const versionKey = { system: 'NPM', name: 'debug', version: '4.4.2' };
  const version = { version: 1, record: { versionKey, ...record } };
  await fleet.redis.hset(fleet.keys.facts('version').facts, 'NPM:debug@4.4.2', JSON.stringify(version));
  const { score: _, vector: __, ...fact } = advisory;
  await fleet.redis.hset(
    fleet.keys.facts('advisory').facts,
    'GHSA-debug',
    JSON.stringify({ version: 1, record: fact }),
  );
  await save('shop', 'debug@4.4.1', '2026-09-01T00:00:00Z', []);
  await save('shop', 'debug@4.4.2', '2026-09-08T13:00:00Z', [finding('shop')]);
  const accepted = { at: Date.parse('2026-09-08T13:10:00Z') / 1_000, scan: 'shop-s2', delivered: 'soc' };
  await fleet.redis.rpush(fleet.keys.ledger('shop'), JSON.stringify({ version: 1, entries: [accepted] }));
  await save('shop@release:1.0', 'debug@4.4.2', '2026-09-08T14:00:00Z', [
    finding('r1', {
      suppressed: { by: 'vex 1 #0 0', source: 'vex', reason: 'code not reachable', author: 'PSIRT' },
    }),
  ]);
  await save('shop@release:2.0', 'debug@4.4.2', '2026-09-08T14:00:00Z', [
    finding('r2', { suppressed: { by: 'ignore 1', source: 'command', reason: 'later' } }),
  ]);
  await save('gone', 'debug@4.4.2', '2026-09-08T15:00:00Z', []);
  await save('gone', 'debug@4.4.3', '2026-09-08T16:00:00Z', []);
  // It holds the version, and was not judged.
  await save('unjudged', 'debug@4.4.2', '2026-09-08T15:00:00Z', []);
  await save('other', 'debug@4.4.1', '2026-09-08T15:00:00Z', []);
});

async function dossier(...args: readonly string[]): Promise<Dossier> {
  const { code, out, note } = await lockhound(['dossier', ...args, '--json']);
  expect([code, note]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('lockhound dossier', () => {
  it('has a statement for each target and release, and what is not known is under investigation', async () => {
    const { statements, counts, vulnerabilities, decisions, ...rest } = await dossier('CVE-2026-1234');
    expect(rest).toMatchObject({ about: 'advisory', stage: 'early', count: 5, notKnown: 0 });
    expect(counts).toEqual({ affected: 2, not_affected: 1, fixed: 1, under_investigation: 1 });
    expect(vulnerabilities).toMatchObject([
      { id: 'CVE-2026-1234', aliases: ['GHSA-debug'], severity: 'critical', score: 9.8 },
    ]);
    expect(vulnerabilities[0]).not.toHaveProperty('exploited');
    const byTarget = Object.fromEntries(statements.map((one) => [one.target, one]));
    expect(byTarget['shop']).toMatchObject({
      status: 'affected',
      packages: [
        {
          purl: 'pkg:npm/debug@4.4.2',
          lockfile: 'package-lock.json',
          path: ['app@1.0.0', 'debug@4.4.2'],
          from: { at: '2026-09-08T13:00:00.000Z', scan: 'shop-s2' },
        },
      ],
      openedAt: '2026-09-08T13:00:00.000Z',
      told: [{ route: 'soc', at: '2026-09-08T13:10:00.000Z' }],
    });
    expect(byTarget['shop@release:1.0']).toMatchObject({
      release: { target: 'shop', release: '1.0', supported: true },
      status: 'not_affected',
      reason: 'code not reachable',
      author: 'PSIRT',
      told: [],
    });
    // Somebody ignores it, and does not say that it is not affected.
    expect(byTarget['shop@release:2.0']).toMatchObject({ status: 'affected', reason: 'later' });
    expect(byTarget['gone']).toMatchObject({
      status: 'fixed',
      packages: [{ until: { at: '2026-09-08T16:00:00.000Z' } }],
    });
    expect(byTarget['unjudged']).toMatchObject({
      status: 'under_investigation',
      reason: expect.stringContaining('no open finding'),
    });
    expect(decisions.map(({ field }) => field)).toEqual([
      ...['awareSince', 'exploitedInProducts', 'markets', 'receiver', 'publisher', 'underInvestigation'],
    ]);
    expect(decisions.find(({ field }) => field === 'awareSince')?.known).toContain(
      '2026-09-08T13:10:00.000Z',
    );
    const { decisions: last } = await dossier('GHSA-debug', '--stage', 'final');
    expect(last.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['markets', 'measuresTaken', 'update']),
    );
  });

  it('calls nothing fixed whose history cannot be read', async () => {
    await fleet.redis.del(fleet.keys.ledger('gone'));
    await fleet.redis.rpush(fleet.keys.ledger('gone'), 'damaged');
    const { out } = await lockhound(['dossier', 'CVE-2026-1234', '--json']);
    const { counts, statements }: Dossier = JSON.parse(out);
    expect(counts).toEqual({ affected: 2, not_affected: 1, under_investigation: 2 });
    expect(statements.find(({ target }) => target === 'gone')).toMatchObject({
      status: 'under_investigation',
      reason: 'it is not known when it held an affected version',
    });
  });

  it('is about one release, and about nothing that does not exist', async () => {
    const { about, statements, vulnerabilities } = await dossier('shop@release:1.0');
    expect([about, vulnerabilities.map(({ id }) => id)]).toEqual(['target', ['GHSA-debug']]);
    expect(statements).toMatchObject([
      { target: 'shop@release:1.0', vulnerability: 'GHSA-debug', status: 'not_affected' },
    ]);
    expect((await dossier('shop@release:1.0', '--format', 'json')).count).toBe(1);
    const unknown = await lockhound(['dossier', 'shop@release:9']);
    expect([unknown.code, unknown.note]).toEqual([2, expect.stringContaining('no target shop@release:9')]);
    expect((await lockhound(['dossier', 'CVE-2026-9999'])).code).toBe(1);
  });

  it.each(['CVE-2026-1234', 'shop@release:1.0', 'other', 'CVE-2026-9999'])(
    'is a valid draft in CSAF 2.0 about %s, without what is internal',
    async (subject) => {
      const { out } = await lockhound(['dossier', subject, '--format', 'csaf', '--stage', 'notification']);
      const csaf = JSON.parse(out);
      expect(csafFaults(csaf)).toEqual([]);
      expect(csaf.document.tracking).toMatchObject({ status: 'draft', version: '0.2.0' });
      expect(csaf.document.notes.map(({ title }: { title: string }) => title)).toContain(
        'To be decided: measuresTaken',
      );
      expect(out).not.toMatch(/package-lock|soc\b/);
      const hasProducts = subject !== 'other' && subject !== 'CVE-2026-9999';
      expect(csaf.document.category).toBe(hasProducts ? 'csaf_vex' : 'csaf_base');
    },
  );

  it('states products, components and scores in CSAF', async () => {
    const { out } = await lockhound(['dossier', 'CVE-2026-1234', '--format', 'csaf']);
    const { product_tree: tree, vulnerabilities } = JSON.parse(out);
    expect(vulnerabilities).toHaveLength(1);
    const [one] = vulnerabilities;
    expect(one).toMatchObject({
      cve: 'CVE-2026-1234',
      ids: [{ system_name: 'GHSA', text: 'GHSA-debug' }],
      scores: [{ cvss_v3: { version: '3.1', baseScore: 9.8, baseSeverity: 'CRITICAL' } }],
    });
    const names = new Map(
      [
        ...tree.full_product_names,
        ...tree.relationships.map((relation: Record<string, unknown>) => relation['full_product_name']),
      ].map(({ product_id: id, name }) => [id, name]),
    );
    const named = (ids: readonly string[]) => ids.map((id) => names.get(id));
    expect(named(one.product_status.known_affected)).toEqual([
      'pkg:npm/debug@4.4.2 in shop through app@1.0.0',
      'pkg:npm/debug@4.4.2 in shop 2.0 through app@1.0.0',
    ]);
    expect(named(one.product_status.fixed)).toEqual(['gone']);
    expect(one.remediations.map(({ details }: { details: string }) => details)).toEqual([
      'To be decided: what users have to do.',
      'To be decided: what users have to do. Suppressed by a person: later.',
    ]);
  });

  it('is HTML that marks what is open and escapes what comes from outside', async () => {
    const { out } = await lockhound(['dossier', 'CVE-2026-1234', '--format', 'html']);
    expect(out).toContain('Worm in &#60;debug&#62;');
    expect(out).not.toContain('<debug>');
    expect(out.match(/To be decided<\/p>/g)).toHaveLength(6);
    expect(out).toContain('Told: soc 2026-09-08 13:10 UTC');
    expect(out).toContain('app@1.0.0 → debug@4.4.2');
    expect(out).toMatch(/default-src &#39;none&#39;/);
  });

  it('is signed with a key that never leaves this machine', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = join(folder, 'key.pem');
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const output = join(folder, 'dossier.json');
    const signed = ['dossier', 'CVE-2026-1234', '--format', 'csaf', '--output', output, '--sign', key];
    expect((await lockhound(signed)).code).toBe(0);
    const content = readFileSync(output);
    const signature = Buffer.from(readFileSync(`${output}.sig`, 'utf8'), 'base64');
    expect(verify(null, content, publicKey, signature)).toBe(true);
    expect(verify(null, Buffer.concat([content, Buffer.from(' ')]), publicKey, signature)).toBe(false);
    const [pub, raw] = [join(folder, 'pub.pem'), join(folder, 'raw.sig')];
    writeFileSync(pub, publicKey.export({ format: 'pem', type: 'spki' }));
    writeFileSync(raw, signature);
    // As docs/dossiers.md says.
    const command = ['pkeyutl', '-verify', '-pubin', '-inkey', pub, '-rawin', '-in', output, '-sigfile', raw];
    expect(execFileSync('openssl', command, { encoding: 'utf8' })).toContain('Verified Successfully');
    // A failure leaves no signature of an earlier file.
    await cli.fresh();
    expect((await lockhound(signed)).code).toBe(2);
    expect(existsSync(`${output}.sig`)).toBe(false);
    const { code, note } = await lockhound(['dossier', 'CVE-1', '--sign', key]);
    expect([code, note]).toEqual([2, expect.stringContaining('--sign needs --output')]);
    writeFileSync(
      key,
      generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
        format: 'pem',
        type: 'pkcs8',
      }),
    );
    expect((await lockhound(signed)).note).toContain('it is a key of type rsa');
  });
});
