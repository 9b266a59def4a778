import type { Format } from '../format.ts';
import { draftPackage } from '../packages/lockfile-builder.ts';
import { readChecksums } from './checksums.ts';

/** Go's checksums: all module versions whose code was downloaded, which can be more than the build uses. */
export const goSum: Format = {
  name: 'go-sum',
  title: 'go.sum',
  ecosystem: 'golang',
  fileNames: ['go.sum', 'go.work.sum'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  mayBeEmpty: true,
  overriddenBy: { 'go.sum': 'go.mod' },
  recognises: (head) => /^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=\s*$/m.test(head),
  read({ text }, builder) {
    const { modules, malformed } = readChecksums(text);
    for (const { line, text: stated } of malformed)
      builder.problem(line, `"${stated.slice(0, 200)}" is not \`module version hash\``);
    for (const { path, version, integrity, line } of modules) {
      const draft = draftPackage({ ecosystem: 'golang', name: path, version, integrity, line });
      builder.add(draft, line, path);
    }
  },
};
