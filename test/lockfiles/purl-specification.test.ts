import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageURL } from 'packageurl-js';
import { describe, expect, it } from 'vitest';
import { buildPurl, canonicalPurl } from '../../src/lockfiles/packages/purl.ts';
import { readPurl } from '../../src/lockfiles/packages/read-purl.ts';
import { CORPORA } from './reading.ts';

interface Parts {
  readonly type: string | null;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly qualifiers: Readonly<Record<string, string>> | null;
  readonly subpath: string | null;
}

/** A case of the purl specification's own suite (https://github.com/package-url/purl-spec/tree/main/tests). */
type Case = { readonly description: string; readonly expected_failure: boolean } & (
  | { readonly test_type: 'build'; readonly input: Parts; readonly expected_output: string }
  | { readonly test_type: 'parse'; readonly input: string; readonly expected_output: Parts }
  | { readonly test_type: 'validate'; readonly input: string; readonly expected_output: string }
);

const FOLDER = join(CORPORA, 'purl');

function cases(): readonly Case[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).tests as readonly Case[]);
}

const NO_RULES = 'packageurl-js has no rules for the type';
const CASE_OF_KEYS =
  'the suite has the same input accepted by a case of its own (validate), as packageurl-js does';
const PLUS = 'packageurl-js does not encode the plus of a version';

/** Failing cases by reason. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  [CASE_OF_KEYS]: [
    'parse "pkg:gem/jruby-launcher@1.1.2?Platform=java"',
    'parse "pkg:Rpm/fedora/curl@7.50.3-1.fc25?Arch=i386&Distro=fedora-25"',
  ],
  [PLUS]: [
    'build {"type":"deb","namespace":"debian","name":"attr","version":"1:2.4.47-2+b1","qualifiers":{"arch":"amd64"},"subpath":null}',
    'validate "pkg:deb/debian/attr@1:2.4.47-2%2Bb1?arch=amd64"',
  ],
  [NO_RULES]: [
    'build {"type":"otp","namespace":"namespace","name":"hex","version":"2.1.1","qualifiers":null,"subpath":null}',
    'build {"type":"vcpkg","namespace":"boost","name":"asio","version":"1.84.0","qualifiers":null,"subpath":null}',
    'build {"type":"vscode-extension","namespace":null,"name":"java","version":"1.46.2025091308","qualifiers":null,"subpath":null}',
    'parse "pkg:brew/Homebrew/Core/sqlite@3.43.2"',
    'parse "pkg:brew/SQLite@3.43.2"',
    'parse "pkg:chrome-extension/44444algnefjeiefhmpklpfiohadpglk"',
    'parse "pkg:chrome-extension/dlpngalgnefjeiefhmpklpfiohadpglk@1.2.3-beta"',
    'parse "pkg:chrome-extension/dlpngalgnefjeiefhmpklpfiohadpglk@1.2.3.4.5"',
    'parse "pkg:chrome-extension/dogs"',
    'build {"type":"cpan","namespace":"GDT","name":"URI::PackageURL","version":null,"qualifiers":null,"subpath":null}',
    'build {"type":"cpan","namespace":null,"name":"URI::PackageURL","version":null,"qualifiers":null,"subpath":null}',
    'parse "pkg:cpan/GDT/URI::PackageURL"',
    'parse "pkg:cpan/LWP::UserAgent@6.7.6"',
    'parse "pkg:cpan/URI::PackageURL"',
    'build {"type":"git","namespace":"codeberg.org","name":"forgejo/forgejo","version":"a72d2c07cfca03b55371089de6aa230d8c951fa0","qualifiers":null,"subpath":"options/locale_readme.md"}',
    'build {"type":"git","namespace":"codeberg.org","name":"forgejo/forgejo","version":"a72d2c07cfca03b55371089de6aa230d8c951fa0","qualifiers":null,"subpath":null}',
    'parse "pkg:git/codeberg.org/forgejo/forgejo@a72d2c07cfca03b55371089de6aa230d8c951fa0"',
    'parse "pkg:git/codeberg.org/forgejo/forgejo@a72d2c07cfca03b55371089de6aa230d8c951fa0#options/locale_readme.md"',
    'validate "pkg:git/github/Package-url/purl-Spec@244fd47e07d1004f0aed9c"',
    'parse "pkg:julia/@1.9.0"',
    'parse "pkg:julia/Dates"',
    'parse "pkg:otp/namespace/hex@2.1.1"',
    'parse "pkg:vcpkg/@1.0.8"',
    'parse "pkg:vcpkg/boost/asio@1.84.0"',
    'parse "pkg:vscode-extension/java@1.46.2025091308"',
    'validate "pkg:brew/Homebrew/Core/sqlite@3.43.2"',
    'validate "pkg:brew/SQLite@3.43.2"',
  ],
};
const KNOWN = new Set(Object.values(FAILING).flat());

function built(parts: Parts): string | undefined {
  const { type, namespace, name, version, qualifiers, subpath } = parts;
  try {
    // No reader builds a purl with a subpath; packageurl-js does, for purls in files.
    if (subpath !== null) {
      const [space, version_, given] = [
        namespace ?? undefined,
        version ?? undefined,
        qualifiers ?? undefined,
      ];
      return canonicalPurl(new PackageURL(type ?? '', space, name ?? '', version_, given, subpath));
    }
    return buildPurl({
      type: type ?? '',
      namespace: namespace ?? undefined,
      name: name ?? '',
      version: version ?? '',
      ...(qualifiers === null ? {} : { qualifiers }),
    });
  } catch {
    return undefined;
  }
}

function partsOf(purl: string): Parts {
  const { type, namespace, name, version, qualifiers, subpath } = PackageURL.fromString(purl);
  return {
    type: type ?? null,
    namespace: namespace ?? null,
    name: name ?? null,
    version: version ?? null,
    qualifiers: qualifiers === undefined ? null : ({ ...qualifiers } as Record<string, string>),
    subpath: subpath ?? null,
  };
}

/** The result of a case; `undefined` where it is refused. */
function outcome(one: Case): unknown {
  if (one.test_type === 'build') return built(one.input);
  const read = readPurl(one.input, '');
  if (typeof read === 'string') return undefined;
  return one.test_type === 'parse' ? partsOf(read.purl) : read.purl;
}

function keyOf({ test_type: kind, input }: Case): string {
  return `${kind} ${JSON.stringify(input)}`;
}

it.skipIf(cases().length === 0)('lists only failures of existing cases', () => {
  const keys = new Set(cases().map(keyOf));
  expect([...KNOWN].filter((key) => !keys.has(key))).toEqual([]);
});

describe.skipIf(cases().length === 0)('the suite of the purl specification', () => {
  it.each(cases().map((one) => [keyOf(one), one] as const))('%s', (key, one) => {
    const wanted = one.expected_failure ? undefined : one.expected_output;
    if (KNOWN.has(key)) expect(outcome(one)).not.toEqual(wanted);
    else expect(outcome(one)).toEqual(wanted);
  });
});
