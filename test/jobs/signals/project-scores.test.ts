import { describe, expect, it } from 'vitest';
import { createMemoryInspections } from '../../../src/jobs/signals/inspect-now.ts';
import { createProjectLookUp, scoreAfter, turnedPackages } from '../../../src/jobs/signals/project-scores.ts';
import type { CodedError } from '../../../src/model/errors.ts';
import type { ProjectScore, Scorecard } from '../../../src/model/signal/inspection.ts';
import { FakeError, ports } from '../facts.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const ID = 'github.com/acme/left-pad';
const PACKAGE = 'NPM:left-pad@1.0.0';

function card(overall: number, checks: Readonly<Record<string, number>> = {}, day = 0): Scorecard {
  return { date: new Date(START + day * DAY).toISOString(), overall, checks };
}

/** The state after look-ups, one a day. */
function known(cards: readonly (Scorecard | undefined)[]): ProjectScore | undefined {
  let score: ProjectScore | undefined;
  for (const [day, one] of cards.entries()) score = scoreAfter(score, one, START + day * DAY);
  return score;
}

describe('what is known of a scorecard', () => {
  it('falls against the best one of the last months, and recovers', () => {
    expect(known([card(8), card(7.5)])).toMatchObject({ reference: { overall: 8 }, now: { overall: 7.5 } });
    expect(known([card(8), card(7), card(5.9)])?.fellAt).toBe('2026-01-03T00:00:00.000Z');
    const recovered = known([card(8), card(5), card(8)]);
    expect(recovered?.fellAt).toBeUndefined();
    expect(recovered?.turnedAt).toBe('2026-01-03T00:00:00.000Z');
  });

  it('ends to be compared after three months, and an old scorecard after six', () => {
    const fell = scoreAfter(known([card(8), card(5)]), card(5), START + 100 * DAY);
    expect([fell.fellAt, fell.reference?.overall]).toEqual([undefined, 5]);
    const slow = scoreAfter(known([card(8)]), card(7), START + 200 * DAY);
    expect(slow.reference?.overall).toBe(7);
  });

  it('stays when there is no scorecard for some time', () => {
    expect(known([card(8), undefined])).toMatchObject({ reference: { overall: 8 }, now: { overall: 8 } });
    expect(known([undefined])).toEqual({ checkedAt: '2026-01-01T00:00:00.000Z', packages: [] });
  });
});

function world() {
  const inspections = createMemoryInspections();
  let answer: Scorecard | { readonly error: CodedError } | undefined = card(8);
  const asked: string[][] = [];
  const { releases } = ports({}).insights;
  return {
    inspections,
    asked,
    says(next: typeof answer) {
      answer = next;
    },
    at: (day: number) =>
      createProjectLookUp({
        scores: inspections.projects,
        releases: {
          ...releases,
          async scorecards(ids) {
            asked.push([...ids]);
            return ids.map(() => answer);
          },
        },
        signal: new AbortController().signal,
        at: START + day * DAY,
      }),
  };
}

describe('looking scorecards up', () => {
  it('asks once a day for each project, and never for none', async () => {
    const { at, asked, inspections } = world();
    await at(0)(new Map([[ID, [PACKAGE]]]));
    await at(0.5)(new Map([[ID, ['NPM:left-pad@1.1.0']]]));
    expect(asked).toEqual([[ID]]);
    expect((await inspections.projects.read([ID]))[0]?.packages).toEqual(['NPM:left-pad@1.1.0', PACKAGE]);
    await at(1)(new Map([[ID, []]]));
    expect(asked).toHaveLength(2);
  });

  it('keeps what is known when the service fails, and reports the failure when nothing is', async () => {
    const { at, says } = world();
    await at(0)(new Map([[ID, []]]));
    const error = new FakeError('fake', 'away', { retryable: true });
    says({ error });
    const found = await at(2)(
      new Map([
        [ID, []],
        ['github.com/a/b', []],
      ]),
    );
    expect(found.get(ID)).toMatchObject({ now: { overall: 8 } });
    expect(found.get('github.com/a/b')).toBe(error);
  });

  it('has the versions of a project inspected again that fell, and again when it recovers', async () => {
    const { at, says, inspections } = world();
    const store = (signals: readonly string[]) =>
      inspections.store([
        {
          identity: PACKAGE,
          inspection: {
            inspectedAt: '',
            signals: signals.map((signal) => ({ signal, text: '' })),
            unknown: [],
          },
          isNews: false,
        },
      ]);
    const turned = async (day: number) => {
      const options = { inspections, at: START + day * DAY };
      const { packages } = await turnedPackages([ID], at(day), options);
      return packages.map(({ name }) => name);
    };
    await at(0)(new Map([[ID, [PACKAGE, 'NPM:never-inspected@1.0.0']]]));
    await store([]);
    expect(await turned(1)).toEqual([]);
    says(card(4));
    expect(await turned(2)).toEqual(['left-pad']);
    await store(['scorecard-dropped']);
    expect(await turned(3)).toEqual([]);
    says(card(8));
    expect(await turned(4)).toEqual(['left-pad']);
  });
});
