import { describe, expect, it } from 'vitest';
import { readTargetSettings } from '../../src/scan/target-settings.ts';

const NAME = '.lockhound.yaml';

async function read(text: string | Buffer, lockfile = 'web/package-lock.json') {
  const { suppressions, problems } = await readTargetSettings(
    { name: NAME, content: Buffer.from(text) },
    lockfile,
  );
  expect(problems.every(({ kind }) => kind === 'unclear')).toBe(true);
  return { suppressions, problems: problems.map(({ message }) => message) };
}

it('the owners of a target are those of its file', async () => {
  const settings = (text: string) =>
    readTargetSettings({ name: NAME, content: Buffer.from(text) }, 'web/package-lock.json');
  expect(await settings('owners: ["@acme/web", ops@acme.example]')).toMatchObject({
    owners: ['@acme/web', 'ops@acme.example'],
    problems: [],
  });
  for (const text of ['owners: all', 'owners: [web]', 'owners: [{ a: b }]']) {
    const { owners, problems } = await settings(text);
    expect([owners, problems.length]).toEqual([undefined, 1]);
  }
});

describe('the suppressions of a target', () => {
  it('are about the lockfile beside them', async () => {
    const text = `
suppressions:
  - reason: not reachable
    advisory: CVE-1
    expires: 2027-01-31
  - { reason: only in tests, package: "pkg:npm/lodash@<5" }
`;
    const common = { source: 'target', path: 'web/package-lock.json' };
    expect(await read(text)).toEqual({
      problems: [],
      suppressions: [
        {
          ...common,
          id: 'web/.lockhound.yaml suppressions[0]',
          reason: 'not reachable',
          advisories: ['CVE-1'],
          expires: '2027-02-01T00:00:00.000Z',
        },
        {
          ...common,
          id: 'web/.lockhound.yaml suppressions[1]',
          reason: 'only in tests',
          package: { ecosystem: 'npm', name: 'lodash', versions: '<5' },
        },
      ],
    });
  });

  it('that are not valid do not apply, and the others do', async () => {
    const { suppressions, problems } = await read(
      'suppressions: [{ reason: x }, { reason: x, path: "*" }, { reason: x, rule: deprecated }, { reason: x, all: true }]',
      'go.sum',
    );
    expect(suppressions).toEqual([expect.objectContaining({ all: true, path: 'go.sum' })]);
    expect(problems[0]).toContain('.lockhound.yaml: suppressions[0]: would hide every finding in its scope');
    expect(problems[1]).toContain('path');
    expect(problems.at(-1)).toContain('.lockhound.yaml: suppressions[2]: would hide every finding');
  });

  it.each<[string, string | Buffer, string]>([
    ['a list', '- 1', 'is not a mapping'],
    ['an unknown key', 'suppress: []', 'unknown key "suppress"'],
    ['no list of suppressions', 'suppressions: all', 'is not a list'],
    ['damaged YAML', 'suppressions: [', 'web/.lockhound.yaml'],
    ['binary data', Buffer.from([0xff, 0xfe, 0x00]), 'UTF-8'],
    ['an alias bomb', `a: &a [1]\nsuppressions: ${'*a '.repeat(3)}`, 'web/.lockhound.yaml'],
    ['too many', `suppressions: [${'{},'.repeat(1_001)}]`, 'more than 1000'],
    ['too much', `# ${'x'.repeat(300_000)}`, 'larger than'],
  ])('%s is a problem', async (_, text, message) => {
    const { suppressions, problems } = await read(text);
    expect(suppressions).toEqual([]);
    expect(problems[0]).toContain(message);
    expect(problems[0]?.length).toBeLessThan(600);
  });

  it.each(['', '# nothing\n', 'suppressions: []', '{}'])('%j has none', async (text) => {
    expect(await read(text)).toEqual({ suppressions: [], problems: [] });
  });

  it('that cannot be read are a problem', async () => {
    const error = { code: 'not-a-file', message: '.lockhound.yaml: is a named pipe' };
    expect(await readTargetSettings({ name: NAME, error }, 'go.sum')).toEqual({
      suppressions: [],
      problems: [{ kind: 'unclear', line: undefined, message: '.lockhound.yaml: is a named pipe' }],
    });
  });
});
