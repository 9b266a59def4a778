import type { Format } from '../format.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { Reading } from '../reading.ts';
import { readChecksums } from './checksums.ts';

const NAME = 'go-sum';

/** Go's checksums: every module version whose code was downloaded, which may be more than is built. */
export const goSum: Format = {
  name: NAME,
  title: 'go.sum',
  ecosystem: 'golang',
  fileNames: ['go.sum', 'go.work.sum'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  mayBeEmpty: true,
  overriddenBy: { 'go.sum': 'go.mod' },
  recognises: (head) => /^\S+ v\S+ h1:[A-Za-z0-9+/]{43}=\s*$/m.test(head),
  read({ text }) {
    const reading = new Reading();
    const { modules, malformed } = readChecksums(text);
    for (const { line, text: stated } of malformed)
      reading.problem(line, `"${stated.slice(0, 200)}" is not \`module version hash\``);
    for (const { path, version, integrity, line } of modules) {
      const draft = draftPackage({ ecosystem: 'golang', name: path, version, integrity, line });
      reading.take(draft, line, path);
    }
    return { format: NAME, ...reading.result() };
  },
};
