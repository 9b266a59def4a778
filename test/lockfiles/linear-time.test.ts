import { describe, expect, it } from 'vitest';
import { cvssBaseScore } from '../../src/insights/records/cvss.ts';
import { readPurl as readPurlToLookUp } from '../../src/insights/request/purl.ts';
import { sourceOf } from '../../src/lockfiles/ecosystems/npm-source.ts';
import { withoutCredentials, withoutSecrets } from '../../src/lockfiles/packages/credentials.ts';
import { readPurl } from '../../src/lockfiles/packages/read-purl.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { readStatement } from '../../src/lockfiles/requirements/read-statement.ts';
import { parseYaml } from '../../src/lockfiles/syntax/parse-yaml.ts';
import { createMasker } from '../../src/model/masking.ts';
import { printable } from '../../src/model/printable.ts';
import { parseRetryAfter } from '../../src/model/retry-after.ts';
import { matchesWildcard } from '../../src/model/wildcard.ts';
import { parseHeaders } from '../../src/notify/webhooks/definition.ts';
import { licenseFault } from '../../src/policy/licenses.ts';
import { namedSuccessor } from '../../src/policy/named-successor.ts';
import { readPackageScope } from '../../src/policy/suppressions/package-scope.ts';
import { oneLine } from '../../src/report/layout.ts';
import { faultOf } from '../../src/sources/git/git-faults.ts';
import { schemeOf } from '../../src/versions/scheme.ts';
import { readVers } from '../../src/versions/vers.ts';
import { versionMatch } from '../../src/versions/version-match.ts';
import { type Hostile, superlinearGrowth, type Work } from '../growth.ts';
import { COMPANIONS } from './companion-samples.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const UNITS = [
  ...[' ', '\t', '\n', '\r', 'a', '0', '-', '.', '/', '\\', '"', "'", '[', '(', '{', '<', '&', '@', '#', ';'],
  ...[',', ':', '=', '%', '*', '^', '!', '`', '\u2028', 'a==', 'a=1,', '>=1,', '1.', '^1 || ', ' @ ', '\n- '],
  ...['a\n', '\\"', '[a', '[1,2],', '$' + '{a}', '<a ', '?a=', '&a=b', 'a@', 'a:b@', ' OR MIT', 'https://'],
];
/** Characters. The longest texts are four times as long. */
const SIZES = [1_000, 8_000];

/** Work with a text in each of several frames takes linear time. */
function expectLinear(work: Work, frames: readonly Hostile[]): void {
  const slow = frames.flatMap((frame) => {
    const growth = superlinearGrowth(work, frame, SIZES);
    return growth === undefined ? [] : [{ ...frame, growth }];
  });
  expect(slow).toEqual([]);
}

/** Each unit at each place of a sample that has another pair of characters around it. */
function insertions(sample: string): readonly Hostile[] {
  const places = new Map([['', sample.length]]);
  for (let at = 0; at < sample.length; at += 1) {
    const around = sample.slice(Math.max(0, at - 1), at + 1).replaceAll(/\w/g, 'a');
    if (!places.has(around)) places.set(around, at);
  }
  return [...places.values()].flatMap((at) =>
    UNITS.map((repeated) => ({ before: sample.slice(0, at), repeated, after: sample.slice(at) })),
  );
}

/** Each line many times: the same, and with other names and values. */
function repetitions(sample: string): readonly Hostile[] {
  const lines = sample.split('\n');
  return lines.flatMap((line, index) => {
    const before = lines.slice(0, index).join('\n') + (index === 0 ? '' : '\n');
    const after = `${lines.slice(index).join('\n')}\n`;
    return [
      { before, repeated: `${line}\n`, after },
      { before, repeated: (at: number) => `${line.replace(/[a-z\d]+/i, (word) => word + at)}\n`, after },
      {
        before,
        repeated: (at: number) => `${line.replaceAll(/[a-z\d]{2,}/gi, (word) => word + at)}\n`,
        after,
      },
    ];
  });
}

const framesOf = (sample: string) => [...insertions(sample), ...repetitions(sample)];

// What decides is how CPU time grows, and a busy machine gives CPU time slowly.
describe('reading takes linear time', { timeout: 600_000 }, () => {
  it.each(Object.entries(SAMPLES))('in %s', (label, sample) => {
    const format = formatOfSample(label);
    expectLinear((text) => readLockfile({ path: 'x', content: Buffer.from(text), format }), framesOf(sample));
    expectLinear(
      (text) => readStatement(format, { path: 'x', text, files: new Map() }, () => {}),
      framesOf(sample),
    );
  });

  it.each(Object.entries(COMPANIONS))('in %s beside a lockfile', (name, { sample, label }) => {
    const lockfile = SAMPLES[label] ?? '';
    const format = formatOfSample(label);
    let isRead = false;
    const work = (text: string) => {
      const files = new Map([[name, text]]);
      const companion = (asked: string) => {
        isRead ||= asked.endsWith(name);
        return asked.endsWith(name) ? Buffer.from(text) : undefined;
      };
      readLockfile({ path: 'x', content: Buffer.from(lockfile), format, companion });
      const get = files.get.bind(files);
      files.get = (asked) => {
        isRead ||= asked === name;
        return get(asked);
      };
      readStatement(format, { path: 'x', text: lockfile, files }, () => {});
    };
    expectLinear(work, framesOf(sample));
    expect(isRead).toBe(true);
  });
});

const mask = createMasker(['s3cret-value', 'https://user:password@h/x']);

const TEXTS: Readonly<Record<string, Work>> = {
  'locations with credentials': (text) => [withoutSecrets(text), withoutCredentials(text), mask(text)],
  'locations of npm packages': (text) => [sourceOf(text, undefined), sourceOf(undefined, text)],
  purls: (text) => readPurl(text, ''),
  'purls to look up': readPurlToLookUp,
  'scopes of suppressions': readPackageScope,
  licences: (text) => licenseFault([text], { allow: ['MIT', 'BSD-*'], deny: [] }),
  'CVSS vectors': cvssBaseScore,
  'headers of webhooks': parseHeaders,
  'messages of git': (text) => faultOf('x', text),
  'messages of registries': (text) => namedSuccessor(text, 'a'),
  'texts for a terminal': (text) => [oneLine(text, 100), printable(text)],
  'Retry-After': (text) => parseRetryAfter(text, 0),
  wildcards: (text) => [matchesWildcard('a*b*c', text), matchesWildcard(text, text)],
  'YAML settings': (text) => parseYaml(text, 'x'),
  ...Object.fromEntries(
    (['NPM', 'PYPI', 'MAVEN', 'NUGET', 'RUBYGEMS', 'CARGO', 'GO'] as const).map((system): [string, Work] => {
      const { isValid, compare, line, isPrerelease, satisfies } = schemeOf(system);
      return [
        `versions of ${system}`,
        (text) => {
          satisfies('1.0.0', text);
          if (isValid(text)) [compare(text, '1.0.0'), line(text), isPrerelease(text)];
        },
      ];
    }),
  ),
  ...Object.fromEntries(
    ['npm', 'pypi', 'maven', 'nuget', 'gem', 'cargo', 'golang'].map((ecosystem): [string, Work] => [
      `ranges of ${ecosystem}`,
      (text) => {
        readVers(`vers:${ecosystem}/${text}`, ecosystem);
        const match = versionMatch(text, ecosystem);
        if (typeof match !== 'string') match('1.0.0');
      },
    ]),
  ),
};

const BASES = [
  ...['', '1.0.0-alpha.1+b', '>=1.0,<2.0', '[1.0,2.0)', 'pkg:npm/%40s/a@1.0.0?a=b#c', 'MIT OR Apache-2.0'],
  ...[
    'https://user:pw@h/o/r.git?token=x#main',
    'CVSS:3.1/AV:N/AC:L/PR:N',
    '{"a":"b"}',
    'use `b` instead',
    "fatal: '/a/b', not found",
    'a: b\n- c\n',
  ],
];

describe('texts take linear time', { timeout: 600_000 }, () => {
  it.each(Object.entries(TEXTS))('%s', (_what, work) => {
    const frames = BASES.flatMap((base) =>
      [...new Set([0, base.length, base.indexOf('/') + 1, base.indexOf('@') + 1])].flatMap((at) =>
        UNITS.flatMap((repeated) =>
          [base.slice(at), '\n!'].map((after) => ({ before: base.slice(0, at), repeated, after })),
        ),
      ),
    );
    expectLinear(work, frames);
  });
});

describe('the measurement', () => {
  it('finds quadratic time', () => {
    const frame = { before: '', repeated: 'a', after: '' };
    const quadratic = (text: string) => /a+$/.test(`${text}b`);
    expect(superlinearGrowth(quadratic, frame, SIZES)).toBeGreaterThan(9);
  });
});
