import { describe, expect, test } from 'vitest';
import { CONTRACT_TARGET, checkContract, contractCheckDue } from '../../src/jobs/check-contract.ts';
import type { ContractComparison, ContractDifference } from '../../src/model/api/contract.ts';
import { context, FakeError, ports } from './facts.ts';

const due = contractCheckDue(new Date('2026-11-21T10:00:00.250Z'));
const payload = checkContract.schema().parse(due.payload);

function difference(kind: string, path: string, severity: ContractDifference['class'] = 'breaking') {
  return { class: severity, kind, path, subject: 'books.get', message: `it happened at ${path}` };
}

function comparison(api: string, ...differences: readonly ContractDifference[]): ContractComparison {
  return { api, version: 'v1', revision: '2', source: `https://${api}.example/rest`, differences };
}

type Answers = Readonly<Record<string, ContractComparison | Error | undefined>>;

function contracts(answers: Answers) {
  return {
    apis: () => Object.keys(answers),
    compare: async (api: string) => {
      const answer = answers[api];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

type State = Parameters<typeof ports>[0]['state'];

async function check(answers: Answers, state?: State, last = false) {
  return await checkContract.run(
    payload,
    ports({ contracts: contracts(answers), routes: ['hook'], ...(state === undefined ? {} : { state }) }),
    context(last),
  );
}

/** The target's state that a run writes. */
function stateOf({ state }: Awaited<ReturnType<typeof check>>): State {
  return state !== undefined && 'state' in state ? state.state : undefined;
}

const drifted = comparison(
  'books',
  difference('path-changed', '$.methods.get.path'),
  difference('enum-narrowed', '$.methods.get.parameters.view.enum'),
  difference('deprecated', '$.methods.get.deprecated', 'deprecating'),
  difference('method-added', '$.methods.put', 'compatible'),
);

describe('check-contract', () => {
  test('has a payload derived from its due time, valid for its schema', () => {
    expect(payload).toEqual({
      scan: 'lockhound.contract.20261121T100000250Z',
      requestedAt: '2026-11-21T10:00:00.250Z',
    });
    expect(due).toMatchObject({ job: 'check-contract', version: 1, key: payload.scan });
  });

  test('opens one finding for each breaking difference, and sends them', async () => {
    const { result, next, state } = await check({ books: drifted, shelves: comparison('shelves') });
    expect(result.target).toEqual(CONTRACT_TARGET);
    expect(
      result.changes.map(({ transition, finding }) => [transition, finding.rule, finding.issue]),
    ).toEqual([
      ['opened', 'contract-drift', 'enum-narrowed $.methods.get.parameters.view.enum'],
      ['opened', 'contract-drift', 'path-changed $.methods.get.path'],
    ]);
    const [finding] = result.findings;
    expect(finding).toMatchObject({
      severity: 'high',
      level: 'alert',
      title:
        'books.get $.methods.get.parameters.view.enum: it happened at $.methods.get.parameters.view.enum',
      package: { ecosystem: 'api', name: 'books', version: 'v1', purl: 'pkg:generic/books@v1', direct: true },
      locations: [{ path: 'https://books.example/rest' }],
      advice: expect.stringContaining('lockhound api diff books https://books.example/rest'),
    });
    expect(new Set(result.findings.map(({ fingerprint }) => fingerprint)).size).toBe(2);
    expect(next).toMatchObject([
      {
        job: 'deliver-notification',
        payload: {
          scan: payload.scan,
          route: 'hook',
          target: 'lockhound:contract',
          requestedAt: payload.requestedAt,
        },
      },
    ]);
    expect(state).toMatchObject({ target: 'lockhound:contract', replaces: 0 });
  });

  test('names a difference of the document by its path alone', async () => {
    const whole = { ...difference('root-changed', '$.rootUrl'), subject: 'document' };
    const { result } = await check({ books: comparison('books', whole) });
    expect(result.findings.map(({ title }) => title)).toEqual(['$.rootUrl: it happened at $.rootUrl']);
  });

  test('reports nothing twice, and distinguishes differences of the same API', async () => {
    const first = await check({ books: drifted });
    const again = await check({ books: drifted }, stateOf(first));
    expect(again).toMatchObject({ next: [], result: { changes: [] } });
    const half = await check(
      { books: { ...drifted, differences: drifted.differences.slice(1) } },
      stateOf(again),
    );
    expect(half.result.changes.map(({ transition, finding }) => [transition, finding.issue])).toEqual([
      ['resolved', 'path-changed $.methods.get.path'],
    ]);
    const other = await check(
      { books: comparison('books', difference('method-removed', '$.methods.get')) },
      stateOf(half),
    );
    expect(other.result.changes.map(({ transition }) => transition).sort()).toEqual(['opened', 'resolved']);
  });

  test('keeps findings of what it could not compare, and names the gap', async () => {
    const first = await check({ books: drifted });
    for (const books of [undefined, new FakeError('fake', 'no document')]) {
      const blind = await check({ books, shelves: comparison('shelves') }, stateOf(first));
      expect(blind.result).toMatchObject({ changes: [], gaps: [{ kind: 'document', subject: 'books' }] });
      expect(stateOf(blind)?.findings.map(({ status }) => status)).toEqual(['open', 'open']);
    }
  });

  test('is retried, and returns a partial result on the last attempt', async () => {
    const busy = {
      books: new FakeError('fake', 'busy', { retryable: true }),
      shelves: comparison('shelves'),
    };
    await expect(check(busy)).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining('books: busy'),
    });
    expect((await check(busy, undefined, true)).result.gaps).toMatchObject([
      { subject: 'books', reason: 'busy' },
    ]);
  });
});
