import { describe, expect, it } from 'vitest';
import { fixFromKnown, learnFix } from '../../src/advice/known-fix.ts';
import { sentenceOf } from '../../src/advice/sentence.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { factsOf, type Registry } from './registry.ts';

const BAD = { advisories: ['GHSA-1'] };
const key = { system: 'NPM', name: 'parser', version: '1.0.0' } as const;

const registry: Registry = {
  server: { '1.0.0': { needs: { parser: '1.0.0' } }, '1.1.0': { needs: { parser: '1.0.1' } } },
  client: { '2.0.0': { needs: { parser: '^1.0.0' } } },
  stuck: { '3.0.0': { needs: { parser: '1.0.0' } } },
  parser: { '1.0.0': BAD, '1.0.1': {}, '2.0.0': {} },
};

const directs = [
  { ...key, name: 'server' },
  { ...key, name: 'client', version: '2.0.0' },
  { ...key, name: 'stuck', version: '3.0.0' },
];

function finding(dependencyPath: readonly string[], direct: boolean): Finding {
  return {
    fingerprint: 'f',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    title: 'title',
    package: {
      ecosystem: 'npm',
      name: 'parser',
      version: '1.0.0',
      purl: 'pkg:npm/parser@1.0.0',
      direct,
      groups: [],
    },
    locations: [{ path: 'package-lock.json', dependencyPath: [...dependencyPath] }],
    advisory: { id: 'GHSA-1', aliases: [], title: 'title', url: '' },
  };
}

describe('what is known of a fix for the whole fleet', () => {
  it('is the nearest good version, and a way for each direct dependency', async () => {
    const known = await learnFix({ key, directs }, undefined, factsOf(registry), 5);
    expect(known).toMatchObject({
      computedAt: 5,
      version: '1.0.1',
      breaking: false,
      ways: {
        'server@1.0.0': { kind: 'upgrade-direct', to: '1.1.0', brings: ['1.0.1'] },
        'client@2.0.0': { kind: 'in-range', brings: ['1.0.1'] },
        'stuck@3.0.0': { kind: 'none', reason: 'no later version of stuck can be locked' },
      },
    });
    const sentence = (path: readonly string[], direct = false) => {
      const fix = fixFromKnown(finding(path, direct), known);
      return fix && sentenceOf('parser', fix);
    };
    expect(sentence(['parser@1.0.0'], true)).toBe('Upgrade parser 1.0.0 → 1.0.1.');
    expect(sentence(['server@1.0.0', 'parser@1.0.0'])).toBe(
      'Upgrade server 1.0.0 → 1.1.0, which brings parser 1.0.1.',
    );
    expect(sentence(['client@2.0.0', 'parser@1.0.0'])).toBe(
      'Fixed in parser 1.0.1. Every requirement permits it.',
    );
    expect(sentence(['stuck@3.0.0', 'parser@1.0.0'])).toBe(
      'There is no safe way to a fix. parser 1.0.1 is good, but no later version of stuck can be locked.',
    );
    expect(sentence(['new@1.0.0', 'parser@1.0.0'])).toBeUndefined();
  });

  it('is what OSV names as fixed, without a look at other versions, unless something is wrong with that', async () => {
    const learn = async (fixed: string) => {
      const facts = factsOf({ ...registry, parser: { ...registry['parser'], '1.0.2': BAD } });
      const known = await learnFix(
        { key, directs: [] },
        undefined,
        { ...facts, fixedIn: async () => fixed },
        5,
      );
      return { known, requested: facts.requested };
    };
    const { known, requested } = await learn('2.0.0');
    expect(requested).toEqual(['records parser@2.0.0']);
    expect(known).toMatchObject({ version: '2.0.0', breaking: true, from: 'osv', lookedAt: 1 });
    // One is affected, the second one is not in the index, and the third one is a pre-release.
    for (const other of ['1.0.2', '1.0.3', '1.0.1-rc.1']) {
      const { known: found, requested: asked } = await learn(other);
      expect(asked).toContain('versions parser');
      expect(found).toMatchObject({ version: '1.0.1' });
      expect(found.from).toBeUndefined();
    }
  });

  it('keeps the ways that are known', async () => {
    const first = await learnFix({ key, directs: directs.slice(0, 1) }, undefined, factsOf(registry), 5);
    const facts = factsOf(registry);
    const second = await learnFix({ key, directs }, first, facts, 9);
    expect(Object.keys(second.ways)).toEqual(['server@1.0.0', 'client@2.0.0', 'stuck@3.0.0']);
    expect(second.computedAt).toBe(5);
    expect(facts.requested).not.toContain('graph server@1.0.0');
  });

  it('is not known where the index has no graph or no record', async () => {
    const later = { needs: { parser: '1.0.1' }, hasNoGraph: true };
    const hidden = { ...registry, server: { ...registry['server'], '1.1.0': later } };
    const known = await learnFix({ key, directs: directs.slice(0, 1) }, undefined, factsOf(hidden), 5);
    const reason = 'the index has no dependency graph of server 1.1.0';
    expect(known.ways).toEqual({ 'server@1.0.0': { kind: 'unknown', brings: [], reason } });
    const fix = fixFromKnown(finding(['server@1.0.0', 'parser@1.0.0'], false), known);
    expect(fix).toMatchObject({ kind: 'unknown', changes: [], reason });

    const unlisted = await learnFix({ key, directs: [] }, undefined, factsOf({}), 5);
    expect(unlisted).toMatchObject({
      isUnknown: true,
      reason: 'the index has no list of the versions of parser',
    });
    expect(fixFromKnown(finding(['parser@1.0.0'], true), unlisted)).toMatchObject({ kind: 'unknown' });
  });

  it('has a reason where no version is good', async () => {
    const known = await learnFix(
      { key, directs },
      undefined,
      factsOf({ parser: { '1.0.0': BAD, '1.1.0': BAD } }),
      5,
    );
    expect(known).toMatchObject({ reason: 'the only later version is not good', ways: {} });
    expect(fixFromKnown(finding(['server@1.0.0', 'parser@1.0.0'], false), known)).toMatchObject({
      kind: 'none',
    });
  });
});
