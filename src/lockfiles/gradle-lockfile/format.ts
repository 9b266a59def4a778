import { mavenDraft } from '../ecosystems/maven-draft.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { groupsOfConfigurations } from './configurations.ts';

const NAME = 'gradle-lockfile';
const HEADER = '# This is a Gradle generated file for dependency locking.';
/** `group:artifact:version=configuration,…`; the locks of single configurations that Gradle wrote until 6 lack the latter. */
const ENTRY = /^([^:=\s]+):([^:=\s]+):([^:=\s]+)(?:=(.*))?$/;

/** Gradle's dependency locks: of a project, and of its build scripts. */
export const gradleLockfile: Format = {
  name: NAME,
  title: 'Gradle dependency locks (gradle.lockfile, buildscript-gradle.lockfile)',
  ecosystem: 'maven',
  fileNames: ['gradle.lockfile', '*gradle.lockfile'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  recognises: (head) => head.startsWith(HEADER),
  read({ path, text }) {
    const collector = new PackageCollector();
    const problems = new ProblemList();
    let entries = 0;
    for (const [index, row] of text.split('\n').entries()) {
      const entry = row.trim();
      // `empty=` lists the configurations that nothing is locked for.
      if (entry === '' || entry.startsWith('#')) continue;
      entries += 1;
      if (/^empty(?:=|$)/.test(entry)) continue;
      const draft = readEntry(entry, index + 1);
      if (typeof draft === 'string') problems.add(index + 1, draft);
      else collector.add(draft);
    }
    const packages = collector.packages();
    if (entries > 0 && problems.count === entries) {
      throw new LockfileError(
        'wrong-format',
        `${path}: no line is \`group:artifact:version=configurations\`: this is no Gradle lockfile`,
      );
    }
    return { format: NAME, packages, problems: problems.all() };
  },
};

function readEntry(entry: string, line: number): PackageDraft | string {
  const parts = ENTRY.exec(entry);
  const shown = JSON.stringify(entry.slice(0, 200));
  if (parts === null) return `${shown} is not \`group:artifact:version=configurations\``;
  const [, group = '', artifact = '', version = '', configurations = ''] = parts;
  const names = configurations.split(',').map((name) => name.trim());
  const draft = mavenDraft(
    { group, artifact, version },
    { line, groups: groupsOfConfigurations(names.filter((name) => name !== '')) },
  );
  return typeof draft === 'string' ? `${shown} ${draft}` : draft;
}
