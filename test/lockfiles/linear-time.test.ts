import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cronFault } from '../../src/config/cron.ts';
import { readPurl as readPurlToLookUp } from '../../src/insights/request/purl.ts';
import { sourceOf } from '../../src/lockfiles/ecosystems/npm-source.ts';
import { readPurl } from '../../src/lockfiles/packages/read-purl.ts';
import { withoutCredentials, withoutSecrets } from '../../src/lockfiles/packages/sources.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { statementReader } from '../../src/lockfiles/requirements/read-statement.ts';
import { parseYaml } from '../../src/lockfiles/syntax/parse-yaml.ts';
import { cvssBaseScore } from '../../src/model/advisories/cvss.ts';
import { printable } from '../../src/model/printable.ts';
import { parseRetryAfter } from '../../src/model/retry-after.ts';
import { createMasker } from '../../src/model/secret.ts';
import { readHttpUrl, readPlainUrl, readRepositoryAddress } from '../../src/model/watch/source-url.ts';
import { matchesWildcard } from '../../src/model/wildcard.ts';
import { parseHeaders } from '../../src/notify/webhooks/definition.ts';
import { licenseFault } from '../../src/policy/licenses.ts';
import { namedSuccessor } from '../../src/policy/rules/deprecated.ts';
import { readPackageScope, targetSuppressionEntry } from '../../src/policy/suppressions/entry.ts';
import { readVex } from '../../src/policy/suppressions/vex/read-vex.ts';
import { oneLine } from '../../src/report/layout.ts';
import { sessionSecretIn } from '../../src/server/api/auth/session-cookie.ts';
import { readPush } from '../../src/server/triggers/push.ts';
import { faultOf } from '../../src/sources/git/git-process.ts';
import { schemeOf } from '../../src/versions/scheme.ts';
import { readVers } from '../../src/versions/vers.ts';
import { versionMatch } from '../../src/versions/version-match.ts';
import { type Hostile, superlinearGrowth, type Work } from '../growth.ts';
import { randomOf } from '../seeded-random.ts';
import { COMPANIONS } from './companion-samples.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

const UNITS = [
  ...[' ', '\t', '\n', '\r', 'a', '0', '-', '.', '/', '\\', '"', "'", '[', '(', '{', '<', '&', '@', '#', ';'],
  ...[',', ':', '=', '%', '*', '^', '!', '`', '\u2028', 'a==', 'a=1,', '>=1,', '1.', '^1 || ', ' @ ', '\n- '],
  ...['a\n', '\\"', '[a', '[1,2],', '$' + '{a}', '<a ', '?a=', '&a=b', 'a@', 'a:b@', ' OR MIT', 'https://'],
];
/** Characters. The longest texts are four times as long. */
const SIZES = [1_000, 8_000];

/** `LINEAR_SHARE`: the share of all texts that is measured, drawn at random. */
const SHARE = Number(process.env['LINEAR_SHARE'] ?? 0.03);
const random = randomOf('LINEAR_SEED');

/** Work with a text in each of several frames, or in a share of them and in one at least, takes linear time. */
function expectLinear(work: Work, frames: readonly Hostile[]): void {
  expect(frames).not.toEqual([]);
  const sure = Math.floor(random() * frames.length);
  const drawn = frames.filter((_, index) => index === sure || random() < SHARE);
  const slow = drawn.flatMap((frame) => {
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
  it.each(Object.entries(SAMPLES))('in %s', async (label, sample) => {
    const format = formatOfSample(label);
    const readStatement = await statementReader(format);
    expectLinear((text) => readLockfile({ path: 'x', content: Buffer.from(text), format }), framesOf(sample));
    expectLinear((text) => readStatement({ path: 'x', text, files: new Map() }, () => {}), framesOf(sample));
  });

  it.each(Object.entries(COMPANIONS))('in %s beside a lockfile', async (name, { sample, label }) => {
    const lockfile = SAMPLES[label] ?? '';
    const format = formatOfSample(label);
    const readStatement = await statementReader(format);
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
      readStatement({ path: 'x', text: lockfile, files }, () => {});
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
  'addresses of sources': (text) => [readHttpUrl(text), readPlainUrl(text), readRepositoryAddress(text)],
  'times by cron': (text) => cronFault(text, 'UTC'),
  cookies: (text) => sessionSecretIn(text),
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

const TARGET_ENTRY = targetSuppressionEntry();

/** Documents that others write, as text. A fault of a document is an answer. */
const DOCUMENTS: Readonly<Record<string, { readonly sample: string; readonly read: Work }>> = {
  OpenVEX: {
    sample: JSON.stringify(
      {
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': 'https://openvex.dev/docs/public/vex-1',
        author: 'Security',
        timestamp: '2026-01-01T00:00:00Z',
        version: 1,
        statements: [
          {
            vulnerability: { name: 'CVE-1', aliases: ['GHSA-1'] },
            products: [{ '@id': 'pkg:npm/shop', subcomponents: [{ '@id': 'pkg:npm/qs@1.0.0' }] }],
            status: 'not_affected',
            justification: 'component_not_present',
          },
        ],
      },
      undefined,
      1,
    ),
    read: (text) => readVex(text, 0),
  },
  'CycloneDX VEX': {
    sample: JSON.stringify(
      {
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
        metadata: { timestamp: '2026-01-01T00:00:00Z' },
        components: [{ type: 'library', name: 'qs', 'bom-ref': 'qs', purl: 'pkg:npm/qs@1.0.0' }],
        vulnerabilities: [
          {
            id: 'CVE-1',
            analysis: { state: 'not_affected', justification: 'code_not_reachable' },
            affects: [{ ref: 'qs', versions: [{ range: 'vers:npm/>=1.0.0|<2.0.0', status: 'unaffected' }] }],
          },
        ],
      },
      undefined,
      1,
    ),
    read: (text) => readVex(text, 0),
  },
  'suppressions of a target': {
    sample:
      'suppressions:\n  - package: pkg:npm/qs@<1.0.0\n    reason: "not used"\n    expires: 2027-01-01\n',
    read: (text) => {
      const documents = attempt(() => parseYaml(text, 'x')) as ReturnType<typeof parseYaml> | undefined;
      const content = documents?.[0]?.content as { suppressions?: unknown } | undefined;
      for (const one of Array.isArray(content?.suppressions) ? content.suppressions : []) {
        TARGET_ENTRY.safeParse(one);
      }
    },
  },
  'a push': {
    sample: JSON.stringify(
      {
        ref: 'refs/heads/main',
        after: '1',
        repository: { clone_url: 'https://h/o/r.git', full_name: 'o/r', default_branch: 'main' },
      },
      undefined,
      1,
    ),
    read: (text) => {
      const body = Buffer.from(text);
      const signature = `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`;
      const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'push' };
      attempt(() => readPush('github', 's', { headers, body, now: 0 }));
    },
  },
};

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

describe('documents take linear time', { timeout: 600_000 }, () => {
  it.each(Object.entries(DOCUMENTS))('%s', (_what, { sample, read }) => expectLinear(read, framesOf(sample)));
});

describe('the measurement', () => {
  it('finds quadratic time', () => {
    const frame = { before: '', repeated: 'a', after: '' };
    const quadratic = (text: string) => /a+$/.test(`${text}b`);
    const sizes = Array.from({ length: 12 }, (_, index) => Math.round(300 * 1.25 ** index));
    // It is measured up to sixteenfold, several times.
    expect(superlinearGrowth(quadratic, frame, sizes, 1)).toBeGreaterThan(9);
  });
});
