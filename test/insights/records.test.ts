import { afterEach, describe, expect, test } from 'vitest';
import { readPublishedVersions } from '../../src/insights/records/version-record.ts';
import { UNCOVERED } from '../../src/model/api/extensions.ts';
import { startFakeService } from './fake-service.ts';

type Fake = Awaited<ReturnType<typeof startFakeService>>;
const closing: Fake[] = [];
const signal = new AbortController().signal;

afterEach(async () => {
  for (const fake of closing.splice(0)) await fake.close();
});

async function setUp(answer: unknown, status = 200) {
  const fake = await startFakeService();
  closing.push(fake);
  fake.behaviour.override = (_request, response) => {
    const text = typeof answer === 'string';
    response.writeHead(status, { 'content-type': text ? 'text/plain' : 'application/json' });
    response.end(text ? answer : JSON.stringify(answer));
    return true;
  };
  return fake;
}

const HIGH_4 = 'VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';

describe('advisories', () => {
  const advisory = {
    advisoryKey: { id: 'GHSA-aaaa-bbbb-cccc' },
    url: 'https://osv.dev/vulnerability/GHSA-aaaa-bbbb-cccc',
    title: 'A flaw',
    aliases: ['CVE-2026-0001'],
    cvss3Score: 5.3,
    cvss3Vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:N',
  };

  test('are requested once for concurrent callers, and cached', async () => {
    const { insights, calls } = await setUp(advisory);
    const [one, two] = await Promise.all([
      insights.advisory('GHSA-aaaa-bbbb-cccc', signal),
      insights.advisory('GHSA-aaaa-bbbb-cccc', signal),
    ]);
    expect(one).toMatchObject({ id: 'GHSA-aaaa-bbbb-cccc', score: 5.3 });
    expect(two).toEqual(one);
    expect([...(await insights.cachedAdvisories(['GHSA-aaaa-bbbb-cccc', 'GHSA-2']))]).toEqual([
      'GHSA-aaaa-bbbb-cccc',
    ]);
    await insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    expect(calls.map(({ path }) => path)).toEqual(['/v3alpha/advisories/GHSA-aaaa-bbbb-cccc']);
  });

  test('have no score when it is 0 with an empty vector, which is a default', async () => {
    const { insights } = await setUp({ ...advisory, cvss3Score: 0, cvss3Vector: '' });
    const found = await insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    expect(found).not.toHaveProperty('score');
    expect(found).not.toHaveProperty('vector');
  });

  test.each([
    ['the vector before the score', { cvss3Score: 1 }, 5.3],
    ['the score where the vector cannot be read', { cvss3Vector: 'CVSS:3.1/AV:N', cvss3Score: 5.5 }, 5.5],
    ['a stated 0 with a vector', { cvss3Vector: 'CVSS:3.1/AV:N', cvss3Score: 0 }, 0],
    ['a vector of version 4.0', { cvss3Vector: `CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/${HIGH_4}` }, 9.3],
    ['none where neither can be read', { cvss3Vector: 'high', cvss3Score: 'high' }, undefined],
    ['none that is out of range', { cvss3Vector: '', cvss3Score: 98 }, undefined],
  ])('have as score %s', async (_case, given, score) => {
    const { insights } = await setUp({
      ...advisory,
      cvss3Vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:N/A:N',
      ...given,
    });
    expect((await insights.advisory('GHSA-aaaa-bbbb-cccc', signal))?.score).toBe(score);
  });

  test('lose fields that cannot be read, and name them', async () => {
    const { insights } = await setUp({
      ...advisory,
      url: ['https://osv.dev'],
      title: 7,
      aliases: ['CVE-2026-0001', 'CVE-2026-0001', 5, '', 'not an id', 'GHSA-aaaa-bbbb-cccc'],
      cvss3Score: 98,
      cvss3Vector: `CVSS:3.1/${'AV:N/'.repeat(1_000)}`,
    });
    const found = await insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    expect(found).toEqual({
      id: 'GHSA-aaaa-bbbb-cccc',
      url: '',
      title: '',
      aliases: ['CVE-2026-0001'],
      problems: [
        '$.url: text is expected, there is ["https://osv.dev"]',
        '$.title: text is expected, there is 7',
        '$.aliases[2]: text is expected, there is 5',
        expect.stringMatching(/^not a CVSS vector: "CVSS:3\.1\/AV:N.{60,80}$/),
        'not a CVSS score: 98',
        'an alias that is not an identifier: ""',
      ],
    });
    expect(await insights.advisory('GHSA-aaaa-bbbb-cccc', signal)).toEqual(found);
  });

  test('name a bounded number of fields', async () => {
    const { insights } = await setUp({ ...advisory, aliases: Array.from({ length: 50_000 }, () => 5) });
    const found = await insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    expect(found?.problems).toHaveLength(11);
    expect(found?.problems?.at(-1)).toBe('and 49990 more');
  });

  test('keep a bounded number of aliases', async () => {
    const aliases = Array.from({ length: 50_000 }, (_, index) => `CVE-2026-${index}`);
    const { insights } = await setUp({ ...advisory, aliases });
    const found = await insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    expect(found?.aliases).toEqual(aliases.slice(0, 100));
    expect(found?.problems).toEqual(['50000 aliases; the first 100 are used']);
  });

  test.each([
    [
      'another one',
      { ...advisory, advisoryKey: { id: 'GHSA-zzzz-zzzz-zzzz' } },
      /request for .* is the advisory "GHSA-zzzz/,
    ],
    ['none', {}, /no identifier/],
    ['one without a name', { ...advisory, advisoryKey: { id: 7 } }, /no identifier/],
  ])('that come back as %s are errors: they never stand for another', async (_case, answer, message) => {
    const { insights } = await setUp(answer);
    await expect(insights.advisory('GHSA-aaaa-bbbb-cccc', signal)).rejects.toMatchObject({
      code: 'contract',
      retryable: false,
      message: expect.stringMatching(message),
    });
  });

  test('that do not exist are undefined', async () => {
    const { insights, calls } = await setUp('advisory not found', 404);
    expect(await insights.advisory('GHSA-none', signal)).toBeUndefined();
    expect(await insights.advisory('GHSA-none', signal)).toBeUndefined();
    expect(calls).toHaveLength(1);
  });

  test('that cannot be fetched are errors, and not cached', async () => {
    const { insights, calls } = await setUp('internal error', 500);
    for (let round = 0; round < 2; round += 1) {
      await expect(insights.advisory('GHSA-x', signal)).rejects.toMatchObject({
        code: 'unavailable',
        retryable: true,
      });
    }
    expect(calls).toHaveLength(2);
  });

  test('an aborted caller does not affect the others; the last one ends the request', async () => {
    const { insights, behaviour } = await setUp(advisory);
    behaviour.latencyMs = 60;
    const impatient = insights.advisory('GHSA-aaaa-bbbb-cccc', AbortSignal.timeout(10));
    const patient = insights.advisory('GHSA-aaaa-bbbb-cccc', signal);
    await expect(impatient).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await patient).toMatchObject({ title: 'A flaw' });
  });
});

describe('dependency graphs', () => {
  const key = { system: 'NPM', name: '@scope/a', version: '1.0.0' } as const;
  const node = (name: string, relation: string, errors: string[] = []) => ({
    versionKey: { system: 'NPM', name, version: '1.0.0' },
    relation,
    errors,
  });

  test('are read, with their errors and without edges that lead nowhere', async () => {
    const { insights, calls } = await setUp({
      nodes: [node('@scope/a', 'SELF'), node('b', 'DIRECT', ['no such version'])],
      edges: [
        { fromNode: 0, toNode: 1, requirement: '^1' },
        { fromNode: 0, toNode: 7, requirement: '^1' },
      ],
      error: 'incomplete',
    });
    expect(await insights.dependencies(key, signal)).toEqual({
      nodes: [
        { versionKey: key, relation: 'SELF' },
        { versionKey: { ...key, name: 'b' }, relation: 'DIRECT' },
      ],
      edges: [{ from: 0, to: 1, requirement: '^1' }],
      errors: [
        'incomplete',
        'NPM:b@1.0.0: no such version',
        'edge 1 leads from node 0 to node 7, and there are 2',
      ],
    });
    expect(calls[0]?.path).toBe('/v3alpha/systems/NPM/packages/%40scope%2Fa/versions/1.0.0:dependencies');
  });

  test('that are not computed are undefined', async () => {
    const { insights, calls } = await setUp('dependencies not found', 404);
    expect(await insights.dependencies(key, signal)).toBeUndefined();
    expect(await insights.dependencies({ ...key, system: 'GO' }, signal)).toBeUndefined();
    expect(calls).toHaveLength(1);
  });
});

describe('lists of versions', () => {
  test.each([
    ['says so', { [UNCOVERED]: true }, { isPartial: true }],
    ['says that in a way that cannot be read', { [UNCOVERED]: 'some' }, { isPartial: true }],
    ['says that it is not', { [UNCOVERED]: false }, {}],
    ['says nothing', {}, {}],
  ])('are partial where the service does: it %s', (_what, member, expected) => {
    const value = { versions: [{ versionKey: { system: 'NPM', name: 'pad', version: '1.0.0' } }] } as const;
    const raw = { ...value, ...member };
    const answer = { value, problems: [], raw, body: Buffer.from(JSON.stringify(raw)) };
    const versions = [{ version: '1.0.0', isDefault: false, isDeprecated: false }];
    expect(readPublishedVersions(answer as never)).toEqual({ versions, ...expected });
  });
});
