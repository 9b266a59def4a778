// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Maven writes its references like that
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/lockfiles/catalog.ts';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { createLockfileReader } from '../../src/lockfiles/threads/lockfile-reader.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { anyText } from '../any-text.ts';
import { superlinearGrowth } from '../growth.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

function readsOrRefuses(format: string, text: string): void {
  const content = Buffer.from(text);
  try {
    const { packages, problems } = readLockfile({
      path: 'x',
      content,
      format,
      companion: () => content,
    });
    const ids = new Set(packages.map(({ id }) => id));
    // One expectation for all: each costs more than the reading of a small text.
    const wrong = packages.filter(
      ({ name, purl, ecosystem, dependencies = [] }) =>
        name === '' || !purl.startsWith(`pkg:${ecosystem}/`) || dependencies.some((id) => !ids.has(id)),
    );
    const isSaid = problems.every(({ message }) => message !== '');
    expect({ ids: ids.size, wrong, isSaid }).toEqual({ ids: packages.length, wrong: [], isSaid: true });
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    expect(error.message).toMatch(/^x[: ]/);
  }
}

/** Values to insert at any position of a JSON file. */
const anyValue = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom(null, true, 0, -1, 1e99, '', 'x', '__proto__', 'constructor', 'toString', [], {}),
  fc.array(fc.constantFrom(null, 0, 'x', {}, [[]]), { maxLength: 3 }),
  fc.dictionary(
    fc.constantFrom('toString', 'valueOf', '__proto__', 'name', 'type', 'A'),
    fc.constantFrom(1, 'x', {}),
  ),
);

function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const samples = Object.entries(SAMPLES).map(
  ([label, sample]) => [label, formatOfSample(label), sample] as const,
);

/** `FUZZ_RUNS`: changed texts of each format and property. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 30);

it('has samples of exactly all formats', () => {
  const sampled = new Set(samples.map(([, format]) => format));
  expect([...sampled].sort()).toEqual(FORMATS.map(({ name }) => name).sort());
});

function read(format: string, text: string) {
  return readLockfile({ path: 'x', content: Buffer.from(text), format });
}

describe.each(samples)('%s', (_label, format, sample) => {
  it('has a sample that reads', () => {
    const { packages, problems } = read(format, sample);
    expect(packages.length).toBeGreaterThan(0);
    // One includes unavailable files, one has a package without a purl, and one needs a go.sum. Versions may be unknown.
    if (['requirements-txt', 'spdx-json', 'go-mod'].includes(format)) return;
    expect(problems.filter(({ kind }) => kind === 'unread')).toEqual([]);
  });

  it('throws only LockfileError for changed, cut or doubled text', () => {
    const at = fc.nat({ max: sample.length });
    const piece = fc.oneof(
      anyText({ maxLength: 4 }),
      fc.constantFrom(
        '<',
        '>',
        '"',
        '\n',
        '&',
        '&#0;',
        '&x;',
        ']]>',
        '<!--',
        '<![CDATA[',
        '<!DOCTYPE a [',
        '{',
        '}',
        '[',
        '${v}',
      ),
    );
    fc.assert(
      fc.property(at, at, piece, (one, other, text) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        readsOrRefuses(format, sample.slice(0, from) + text + sample.slice(to));
        readsOrRefuses(format, sample.slice(0, from) + text + sample.slice(from));
        readsOrRefuses(format, sample.slice(0, to) + sample.slice(from));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives the same packages with other line endings', () => {
    expect(read(format, sample.replaceAll('\n', '\r\n'))).toEqual(read(format, sample));
    expect(read(format, sample.replaceAll('\n', '\r'))).toEqual(read(format, sample));
  });
});

const json = samples.filter(([, , sample]) => /^\{"\w+":/.test(sample));

describe.each(json)('%s, in JSON,', (_label, format, sample) => {
  it('throws only LockfileError for values of other types', () => {
    const value: unknown = JSON.parse(sample);
    fc.assert(
      fc.property(fc.constantFrom(...places(value)), anyValue, (path, by) => {
        readsOrRefuses(format, JSON.stringify(replaced(value, path, by)));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives the same packages with the keys in another order', () => {
    const turned = JSON.stringify(reversed(JSON.parse(sample)));
    expect(turned).not.toBe(sample);
    expect(facts(read(format, turned).packages)).toEqual(facts(read(format, sample).packages));
  });
});

/** Formats whose files are lists of mappings or tables, with the beginning of an element. */
const ENTRIES: readonly (readonly [label: string, entry: RegExp])[] = [
  ['yarn-lock', /\n(?=["\w@][^\n]*:\n)/],
  ['yarn-lock (berry)', /\n(?=")/],
  ['cargo-lock', /(?=^\[)/m],
  ['poetry-lock', /(?=^\[\[package|^\[metadata\])/m],
  ['pdm-lock', /(?=^\[)/m],
  ['uv-lock', /(?=^\[\[|^\[manifest)/m],
  ['pylock-toml', /(?=^\[\[)/m],
  ['go-mod', /(?=^(?:require|replace|exclude|retract) )/m],
];

describe.each(ENTRIES)('%s, in parts,', (label, entry) => {
  const format = formatOfSample(label);
  const [head = '', ...parts] = (SAMPLES[label] ?? '').split(entry);

  it('gives the same packages with the parts in another order', () => {
    expect(parts.length).toBeGreaterThan(1);
    const whole = facts(read(format, [head, ...parts].join('\n')).packages);
    fc.assert(
      fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
        expect(facts(read(format, [head, ...shuffled].join('\n')).packages)).toEqual(whole);
      }),
    );
  });
});

/** Lines of tables and mappings whose order does not matter. */
const FIELDS: readonly (readonly [label: string, first: RegExp])[] = [
  ['yarn-lock', /^ {2}(?:version|resolved|integrity) /],
  ['yarn-lock (berry)', /^ {2}(?:version|resolution|checksum|languageName): /],
  ['pnpm-lock (v5)', /^ {4}(?:resolution|name|version|dev|optional): /],
  ['cargo-lock', /^(?:name|version|source|checksum|dependencies) = /],
  ['poetry-lock', /^(?:name|version|optional|groups|files|category) = /],
  ['pdm-lock', /^(?:name|version|groups|dependencies|files|sections|git|revision|path) = /],
  ['uv-lock', /^(?:name|version|source|dependencies|sdist|wheels) = /],
  ['pylock-toml', /^(?:name|version|marker|index|dependencies|sdist|directory) = /],
];

describe.each(FIELDS)('%s, by its fields,', (label, field) => {
  it('gives the same packages with fields in another order', () => {
    const sample = SAMPLES[label] ?? '';
    const turned: string[] = [];
    let run: string[] = [];
    for (const line of [...sample.split('\n'), '']) {
      if (field.test(line)) run.unshift(line);
      else {
        turned.push(...run, line);
        run = [];
      }
    }
    const format = formatOfSample(label);
    expect(turned.join('\n').trimEnd()).not.toBe(sample.trimEnd());
    expect(facts(read(format, turned.join('\n')).packages)).toEqual(facts(read(format, sample).packages));
  });
});

/** Packages without the facts that depend on the order of the file: order of packages and edges, lines. */
function facts(packages: readonly LockedPackage[]): readonly unknown[] {
  return packages
    .map(({ line: _line, dependencies, groups, integrity, ...rest }) => ({
      ...rest,
      dependencies: dependencies && [...dependencies].sort(),
      groups: [...groups].sort(),
      integrity: integrity.map(({ value }) => value).sort(),
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** The members of objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** Limits the time for a file in proportion to its size. */
const reader = createLockfileReader({ threads: 1, inline: { bytes: -1, onePassBytes: -1 } });
afterAll(() => reader.close());

/** `of(0)` to `of(count - 1)`, one after the other. */
const many = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join('');

/** Files of so many entries that take quadratic time where a reader searches or copies a list for each entry. */
const HOSTILE: readonly (readonly [format: string, textOf: (count: number) => string])[] = [
  ['gradle-lockfile', (count) => 'x\n'.repeat(20 * count)],
  ['go-mod', (count) => `module a\nrequire ${'""'.repeat(100 * count)}`],
  ['spdx-tag-value', (count) => `SPDXVersion: SPDX-2.3\n${'<text>\n'.repeat(5 * count)}`],
  ['spdx-tag-value', (count) => `SPDXVersion: SPDX-2.3\n${'A: <text>\n'.repeat(5 * count)}`],
  ['cyclonedx-json', (count) => `{"bomFormat":"CycloneDX","components":[${'0,'.repeat(40 * count)}0]}`],
  ['npm-package-lock', packageLockOfOneUser],
  ['npm-package-lock', (count) => `{"lockfileVersion":3,"packages":{${'"a":{},'.repeat(10 * count)}"b":{}}}`],
  // Ranges, entries or digests of one package.
  [
    'yarn-lock',
    (count) =>
      `# yarn lockfile v1\n${many(count, (at) => `a@${at}:\n  version "${at}"\n  dependencies:\n    a "${count - at}"\n`)}`,
  ],
  [
    'yarn-lock',
    (count) =>
      `# yarn lockfile v1\n${many(count, (at) => `a@${at}:\n  version "1"\n  integrity sha512-${at}\n`)}`,
  ],
  [
    'yarn-lock',
    (count) =>
      `# yarn lockfile v1\n${many(count, (at) => `b@${at}:\n  version "${at}"\n`)}a@1:\n  version "1"\n  dependencies:\n${many(count, (at) => `    b "${at}"\n`)}`,
  ],
  [
    'yarn-lock',
    (count) =>
      `__metadata:\n  version: 8\n${many(count, (at) => `"a@npm:${at}":\n  version: ${at}\n  resolution: "a@npm:${at}"\n  dependencies:\n    a: x\n`)}`,
  ],
  [
    'pnpm-lock',
    (count) =>
      `lockfileVersion: '6.0'\npackages:\n${many(count, (at) => `  /a@1.0.${at}:\n    dependencies:\n      a: 1.0.${count - at}\n`)}`,
  ],
  [
    'pnpm-lock',
    (count) =>
      `lockfileVersion: '9.0'\npackages:\n${many(count, (at) => `  a${at}@1.0.0: {}\n`)}snapshots:\n  b@1.0.0:\n    dependencies:\n${many(4 * count, (at) => `      a${at}: 1.0.0\n`)}`,
  ],
  // Read by the general parser.
  [
    'pnpm-lock',
    (count) =>
      `lockfileVersion: '6.0'\npackages:\n${many(count, (at) => `  /a@1.0.${at}: # x\n    dev: true\n`)}`,
  ],
  [
    'bun-lock',
    (count) => `{"packages":{"${'a/'.repeat(count)}b":["b@1.0.0","",{"dependencies":{"c":"1","d":"1"}}]}}`,
  ],
  ['bun-lock', (count) => `{"packages":{"${'\\"'.repeat(20 * count)}`],
  [
    'requirements-txt',
    (count) => `a${' '.repeat(4 * count)}b\n./${'a'.repeat(4 * count)}\n./${'/'.repeat(4 * count)}x\n`,
  ],
  ['requirements-txt', (count) => many(6 * count, (at) => `-r x${at}\n`)],
  [
    'poetry-lock',
    (count) =>
      `${many(count, (at) => `[[package]]\nname = "a"\nversion = "${at}"\n[package.dependencies]\na = "*"\n`)}[metadata.files]\na = [${many(count, (at) => `{file="a-${at}.tar.gz",hash="sha256:00"},`)}]\n`,
  ],
  [
    'pdm-lock',
    (count) => many(count, (at) => `[[package]]\nname = "a"\nversion = "${at}"\ndependencies = ["a"]\n`),
  ],
  [
    'uv-lock',
    (count) =>
      `version = 1\n${many(count, (at) => `[[package]]\nname = "a"\nversion = "${at}"\ndependencies = [{ name = "a" }]\n`)}`,
  ],
  [
    'pylock-toml',
    (count) =>
      many(count, (at) => `[[packages]]\nname = "a"\nversion = "${at}"\ndependencies = [{ name = "a" }]\n`),
  ],
  ['go-sum', (count) => many(2 * count, (at) => `a.example/b v1.0.${at} h1:x\n`)],
  [
    'cargo-lock',
    (count) =>
      many(
        count,
        (at) =>
          `[[package]]\nname = "a"\nversion = "${at}"\nsource = "registry+x"\ndependencies = ["a ${at + 1}"]\n`,
      ),
  ],
  [
    'gemfile-lock',
    (count) => `GEM\n  remote: x\n  specs:\n${many(count, (at) => `    a (${at})\n      a\n`)}`,
  ],
];

const COUNT = 20_000;

it('reads a go.mod with a go.sum of the same size', async () => {
  const { packages } = await reader.read({
    path: 'go.mod',
    content: Buffer.from(`module r\n\nrequire (\n${many(COUNT, (at) => `\ta.example/b${at} v1.0.0\n`)})\n`),
    companions: [
      { name: 'go.sum', content: Buffer.from(many(COUNT, (at) => `a.example/b${at} v1.0.0 h1:x\n`)) },
    ],
  });
  expect(packages).toHaveLength(COUNT);
});

/** One package that depends on all others. */
function packageLockOfOneUser(count: number): string {
  const names = Array.from({ length: count }, (_, at) => `p${at}`);
  const dependencies = Object.fromEntries(names.map((name) => [name, '*']));
  const others = names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }]);
  const packages = { ...Object.fromEntries(others), 'node_modules/user': { version: '1.0.0', dependencies } };
  return JSON.stringify({ lockfileVersion: 3, packages });
}

describe('large hostile files', () => {
  it.each(HOSTILE)('take linear time (%s)', (format, textOf) => {
    const work = (text: string) => readLockfile({ path: 'x', content: Buffer.from(text), format });
    expect(superlinearGrowth(work, textOf, [5_000])).toBeUndefined();
  });

  it.each([
    ['cyclonedx-xml', `<bom xmlns="http://cyclonedx.org/schema/bom/1.4">${'<components>'.repeat(100_000)}`],
    [
      'nuget-packages-lock',
      `{"version":1,"dependencies":${'{"a":'.repeat(1_000_000)}0${'}'.repeat(1_000_001)}`,
    ],
    ['spdx-json', `{"spdxVersion":"SPDX-2.3",${'"packages":[{'.repeat(100_000)}${'}]'.repeat(100_000)}}`],
    ['spdx-json', `{\n "spdxVersion":"SPDX-2.3",${'"packages":[{'.repeat(100_000)}${'}]'.repeat(100_000)}}`],
    ['maven-pom-xml', `<project>${'<a>&lt;'.repeat(500_000)}`],
    ['npm-package-lock', `{"lockfileVersion":3,"packages":${'{"a":'.repeat(1_000_000)}`],
    // The steps through its packages are limited.
    [
      'uv-lock',
      `version = 1\n${many(5_000, (at) => `[[package]]\nname = "a${at}"\nversion = "1"\ndependencies = [{ name = "a${at + 1}" }]\n`)}[[package]]\nname = "r"\nsource = { virtual = "." }\n[package.optional-dependencies]\n${many(5_000, (at) => `x${at} = [{ name = "a0" }]\n`)}`,
    ],
  ] as (readonly [format: string, text: string])[])(
    'stay within the time limit for their size (%s)',
    async (format, text) => {
      const failure = await reader
        .read({ path: 'x', content: Buffer.from(text), format, companions: [] })
        .then(
          () => undefined,
          (error: unknown) => error,
        );
      if (failure === undefined) return;
      expect(failure).toBeInstanceOf(LockfileError);
      expect(['too-slow', 'reader-failed']).not.toContain((failure as LockfileError).code);
    },
  );

  it('have no package whose name and version are longer than any registry accepts', () => {
    const text = `a:b:1=x\na:c:${'1'.repeat(1_000_000)}=x\nempty=\n`;
    const { packages, problems } = readLockfile({
      path: 'gradle.lockfile',
      content: Buffer.from(text),
    });
    expect(packages.map(({ id }) => id)).toEqual(['a:b@1']);
    expect(problems).toMatchObject([
      { line: 2, message: expect.stringMatching(/^.{0,300} has a name and version of 1000004 characters/s) },
    ]);
  });

  it('limit the steps through elements that are not packages', () => {
    const fan = 2_400;
    const files = Array.from({ length: fan }, (_, at) => ({
      type: 'file',
      name: `f${at}`,
      'bom-ref': `f${at}`,
    }));
    const libraries = Array.from({ length: fan }, (_, at) => ({
      type: 'library',
      name: `l${at}`,
      'bom-ref': `l${at}`,
      purl: `pkg:npm/l${at}@1`,
    }));
    const refs = files.map((one) => one['bom-ref']);
    const dependencies = [
      { ref: 'f0', dependsOn: refs },
      ...libraries.map((one) => ({ ref: one['bom-ref'], dependsOn: ['f0'] })),
    ];
    const text = JSON.stringify({
      bomFormat: 'CycloneDX',
      components: [...files, ...libraries],
      dependencies,
    });
    const { packages, problems } = readLockfile({ path: 'bom.json', content: Buffer.from(text) });
    expect(packages).toHaveLength(fan);
    expect(problems.at(-1)?.message).toMatch(/^too many relations/);
  });
});
