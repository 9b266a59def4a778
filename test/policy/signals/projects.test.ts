import { describe, expect, it } from 'vitest';
import type { ReleaseFacts, SiblingRelease } from '../../../src/model/signal/release-facts.ts';
import { signalsOf } from '../../../src/policy/signals/evaluate.ts';
import { at, detailOf, factsOf, POLICY } from './release-facts.ts';

const TIMES = { '1.0.0': '2026-01-01T00:00:00Z', '1.0.1': '2026-05-11T19:20:00Z' };

/** Each package of a project has versions at these times. */
function siblings(names: readonly string[], times: readonly string[]): readonly SiblingRelease[] {
  return names.flatMap((name) =>
    times.map((time, index) => ({ name, version: `1.0.${index}`, publishedAt: at(time) })),
  );
}

function signal(name: string, given: Partial<ReleaseFacts>, before?: Parameters<typeof signalsOf>[2]) {
  return signalsOf(factsOf('acme-a@1.0.1', TIMES, given), POLICY, before).find((one) => one.signal === name);
}

const NAMES = ['b', 'c', 'd', 'e', 'f'].map((letter) => `acme-${letter}`);

describe('burst of a source project', () => {
  const once = siblings(NAMES, ['2026-02-01T00:00:00Z', '2026-05-11T19:24:00Z']);

  it('is many packages of one project within an hour', () => {
    expect(signal('burst', { siblings: once })).toEqual({
      signal: 'burst',
      grade: 'project',
      text: 'was published with versions of 5 other packages of its source project (acme-b, acme-c, acme-d and 2 more) within 4 minutes',
    });
    expect(signal('burst', { siblings: once.filter(({ name }) => name < 'acme-e') })).toBeUndefined();
  });

  it('is not the habit of a project, nor the first versions of its packages', () => {
    const habit = ['2026-01-05T00:00:00Z', '2026-02-05T00:00:00Z', '2026-05-11T19:24:00Z'];
    expect(signal('burst', { siblings: siblings(NAMES, habit) })).toBeUndefined();
    expect(signal('burst', { siblings: siblings(NAMES, ['2026-05-11T19:24:00Z']) })).toBeUndefined();
  });

  it('is several versions of some packages at once, whatever the habit', () => {
    const twice = [
      '2026-01-05T00:00:00Z',
      '2026-02-05T00:00:00Z',
      '2026-05-11T19:20:00Z',
      '2026-05-11T19:26:00Z',
    ];
    const found = signal('burst', { siblings: siblings(NAMES, twice) });
    expect(found?.text).toBe(
      'is one of 11 versions of 6 packages of its source project within 6 minutes, several of each',
    );
  });

  it('is cleared by an advisory that it fixes, and stays while the siblings are not looked up again', () => {
    const before = {
      inspectedAt: '',
      unknown: [],
      signals: [{ signal: 'burst', grade: 'project', text: 'was published with others' }],
    };
    expect(signal('burst', {}, before)?.text).toBe('was published with others');
    const details = new Map([
      ['1.0.0', detailOf({ advisoryIds: ['GHSA-1'] })],
      ['1.0.1', detailOf()],
    ]);
    expect(signal('burst', { details }, before)).toBeUndefined();
    expect(signal('burst', { details, siblings: once })).toBeUndefined();
  });
});

describe('scorecard-dropped', () => {
  const card = (overall: number, checks: Readonly<Record<string, number>>, date: string) => ({
    overall,
    checks,
    date: `${date}T00:00:00Z`,
  });
  const found = (from: ReturnType<typeof card>, to: ReturnType<typeof card>) =>
    signal('scorecard-dropped', { projects: [{ id: 'github.com/acme/a', reference: from, now: to }] });

  it('is a check that fell under the line, or a much lower score', () => {
    const before = card(8, { 'Dangerous-Workflow': 10, Maintained: 6, Fuzzing: 10 }, '2026-01-01');
    expect(found(before, card(7.5, { 'Dangerous-Workflow': 0, Maintained: 6 }, '2026-02-01'))).toEqual({
      signal: 'scorecard-dropped',
      grade: 'workflow',
      text: 'is built from github.com/acme/a, whose scorecard fell: Dangerous-Workflow from 10 to 0 (2026-01-01 to 2026-02-01)',
    });
    expect(found(before, card(6, { Maintained: 4 }, '2026-02-01'))).toMatchObject({
      grade: 'plain',
      text: expect.stringContaining('Maintained from 6 to 4, overall from 8 to 6'),
    });
  });

  it('is not a small fall, another check, or one that did not run', () => {
    const before = card(8, { Maintained: 6, Fuzzing: 10, 'Code-Review': 4 }, '2026-01-01');
    expect(found(before, card(6.1, { Fuzzing: 0, 'Code-Review': 0 }, '2026-02-01'))).toBeUndefined();
    expect(signal('scorecard-dropped', { projects: [{ id: 'x' }] })).toBeUndefined();
  });

  it('stays while the scorecard cannot be had, and a project that is not maintained is a note', () => {
    const before = { inspectedAt: '', unknown: [], signals: [{ signal: 'scorecard-dropped', text: 't' }] };
    expect(signal('scorecard-dropped', {}, before)).toBeDefined();
    expect(signal('scorecard-dropped', { projects: [] }, before)).toBeUndefined();
    const now = card(5, { Maintained: 0 }, '2026-01-01');
    expect(signal('unmaintained', { projects: [{ id: 'github.com/acme/a', now }] })?.text).toContain(
      'github.com/acme/a',
    );
  });
});

describe('dependency-changed', () => {
  it('is a requirement that the lockfile does not have, for that target alone', () => {
    expect(signal('dependency-changed', { unlocked: ['decoy'], target: 'shop' })).toEqual({
      signal: 'dependency-changed',
      grade: 'lockfile',
      target: 'shop',
      text: 'requires decoy, which the lockfile does not have among its dependencies',
    });
    expect(signal('dependency-changed', { unlocked: [] })).toBeUndefined();
    const changed = { requirementsBefore: 'a', requirements: 'b', unlocked: ['decoy'] };
    expect(signal('dependency-changed', changed)?.text).toContain('under the same version: decoy');
  });
});
