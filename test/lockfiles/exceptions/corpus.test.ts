import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { exceptionFile, readExceptions } from '../../../src/lockfiles/exceptions/catalog.ts';

const corpora =
  process.env['LOCKHOUND_CORPORA'] ?? path.resolve(import.meta.dirname, '../../../../shared/corpora');
const folder = path.join(corpora, 'exceptions');

// biome-ignore lint/suspicious/noExplicitAny: files of others
type Any = any;

/** The entries that a file has, by a count of its own: each is a text that its exception must name. */
function entriesOf(name: string, text: string): readonly string[] {
  const keys = (value: Any) => Object.keys(value ?? {});
  const base = path.basename(name);
  if (base === 'package.json') {
    const { overrides, resolutions, pnpm } = JSON.parse(text);
    return [overrides, resolutions, pnpm?.overrides].flatMap(keys);
  }
  if (base === 'pnpm-workspace.yaml') {
    const root: Any = parseYaml(text);
    return [
      ...keys(root.peerDependencyRules?.allowedVersions),
      ...(root.minimumReleaseAge === undefined ? [] : ['minimumReleaseAge']),
      ...(root.minimumReleaseAgeExclude ?? []),
    ];
  }
  if (base === '.yarnrc.yml') return keys(parseYaml(text)).filter((key) => key === 'npmMinimalAgeGate');
  if (base === '.npmrc') return text.match(/^(?:registry|min-release-age)(?=\s*=)/gm) ?? [];
  if (base === 'audit.toml' || base === 'deny.toml') {
    const { advisories, licenses }: Any = parseToml(text);
    return [...(advisories?.ignore ?? []), ...(licenses?.exceptions ?? []).map((one: Any) => one.name)];
  }
  if (base === 'Cargo.toml') return Object.values((parseToml(text) as Any).patch ?? {}).flatMap(keys);
  if (base.startsWith('dependabot')) {
    return (parseYaml(text) as Any).updates.flatMap((one: Any) => [
      ...(one.ignore ?? []).map((rule: Any) => rule['dependency-name']),
      ...keys(one.cooldown)
        .slice(0, 1)
        .map(() => one['package-ecosystem']),
      ...(one['open-pull-requests-limit'] === 0 ? [one['package-ecosystem']] : []),
    ]);
  }
  if (!base.startsWith('renovate')) return [];
  const root: Any = parseYaml(text.replace(/^\s*\/\/.*$/gm, ''));
  const rules = (root.packageRules ?? []).filter(
    (one: Any) =>
      one.enabled === false || one.allowedVersions !== undefined || one.minimumReleaseAge !== undefined,
  );
  return [
    ...(root.ignoreDeps ?? []),
    ...(root.ignorePaths ?? []),
    ...(root.minimumReleaseAge === undefined ? [] : ['minimumReleaseAge']),
    ...rules.flatMap((one: Any) => one.matchPackageNames ?? ['match']),
  ];
}

describe.skipIf(!existsSync(folder))('files of other repositories', () => {
  it('each is read, and at least 95 % of the entries are classified', async () => {
    const missing: string[] = [];
    let [entries, lines] = [0, 0];
    for (const repository of readdirSync(folder)) {
      const root = path.join(folder, repository);
      for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
        const name = [file, path.basename(file)].find((one) => exceptionFile(one) !== undefined);
        if (!/\.[^/]+$/.test(file) || name === undefined) continue;
        const content = readFileSync(path.join(root, file));
        const found = [...(await readExceptions(file, { name, content }))];
        expect([file, found.filter(({ kind }) => kind === 'unread')]).toEqual([file, []]);
        lines += found.filter(({ line }) => line !== undefined).length;
        for (const entry of entriesOf(file, content.toString('utf8'))) {
          entries += 1;
          const at = found.findIndex(({ subject }) => subject.includes(entry));
          if (at < 0) missing.push(`${repository}/${file}: ${entry}`);
          else found.splice(at, 1);
        }
      }
    }
    expect(missing.slice(0, 20)).toEqual([]);
    expect(entries).toBeGreaterThan(500);
    expect((entries - missing.length) / entries).toBeGreaterThanOrEqual(0.95);
    expect(lines / entries).toBeGreaterThan(0.95);
  });
});
