import type { Group } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { CUT, mavenDraft } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';

const HEADER = '# This is a Gradle generated file for dependency locking.';
/** `group:artifact:version=configuration,…`. Gradle before 6 wrote a file for each configuration, without `=…`. */
const ENTRY = /^([^:=\s]+):([^:=\s]+):([^:=\s]+)(?:=(.*))?$/;

/** Gradle's dependency locks: of a project, and of its build scripts. */
export const gradleLockfile: Format = {
  name: 'gradle-lockfile',
  title: 'Gradle dependency locks (gradle.lockfile, buildscript-gradle.lockfile)',
  ecosystem: 'maven',
  fileNames: ['gradle.lockfile', '*gradle.lockfile'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  recognises: (head) => head.startsWith(HEADER),
  read({ path, text }, builder) {
    let entries = 0;
    let hasEnd = false;
    let needsEnd = false;
    for (const [index, row] of text.split('\n').entries()) {
      const entry = row.trim();
      if (entry === '' || entry.startsWith('#')) continue;
      entries += 1;
      // `empty=` lists the configurations without dependencies. It is the last line.
      if (/^empty(?:=|$)/.test(entry)) hasEnd = true;
      else {
        needsEnd ||= entry.includes('=');
        builder.add(readEntry(entry, index + 1), index + 1, entry);
      }
    }
    if (entries > 0 && builder.problemCount === entries) {
      throw new LockfileError(
        'wrong-format',
        `${path}: not a Gradle lockfile: no line is \`group:artifact:version=configurations\``,
      );
    }
    if (needsEnd && !hasEnd) builder.problem(undefined, `it has no line \`empty=\`: ${CUT}`);
  },
};

function readEntry(entry: string, line: number): PackageDraft | string {
  const parts = ENTRY.exec(entry);
  if (parts === null) return 'is not `group:artifact:version=configurations`';
  const [, group = '', artifact = '', version = '', configurations = ''] = parts;
  const names = configurations.split(',').map((name) => name.trim());
  const groups = groupsOf(names.filter((name) => name !== ''));
  return mavenDraft({ group, artifact, version }, { line, groups });
}

/** The groups of all configurations that need a package; empty when one of them is for production. */
function groupsOf(configurations: readonly string[]): readonly Group[] {
  const groups = new Set<Group>();
  for (const configuration of configurations) {
    const group = groupOf(configuration);
    if (group === undefined) return [];
    groups.add(group);
  }
  return [...groups].sort();
}

const TEST = /^test|Tests?(?=[A-Z]|$)|^androidTest|^jmh/;
/** Used by the build, but not part of its result: classpaths of build scripts, processors, compilers, linters. */
const BUILD =
  /^classpath$|annotationProcessor|^kapt|^ksp|kotlinCompiler|kotlinBuildTools|kotlinKlib|^(?:detekt|ktlint|checkstyle|pmd|spotbugs|errorprone|jacoco|spotless|zinc|antlr|lintChecks|lintClassPath|coreLibraryDesugaring)|^swiftExport|PluginClasspath/i;

function groupOf(configuration: string): Group | undefined {
  if (BUILD.test(configuration)) return 'build';
  if (TEST.test(configuration)) return 'test';
  return configuration === 'developmentOnly' ? 'dev' : undefined;
}
