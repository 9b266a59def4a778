import type { Group } from '../../model/scan/lockfile.ts';

const TEST = /^test|Tests?(?=[A-Z]|$)|^androidTest|^jmh/;
/** What takes part in the build and is not in what is built: the build script's own classpath, processors, compilers, checkers. */
const BUILD =
  /^classpath$|annotationProcessor|^kapt|^ksp|kotlinCompiler|kotlinBuildTools|kotlinKlib|^(?:detekt|ktlint|checkstyle|pmd|spotbugs|errorprone|jacoco|spotless|zinc|antlr|lintChecks|lintClassPath|coreLibraryDesugaring)|^swiftExport|PluginClasspath/i;
const DEV = /^developmentOnly$/;

/** What all configurations that need a package have in common; nothing when one of them is needed in production. */
export function groupsOfConfigurations(configurations: readonly string[]): readonly Group[] {
  const groups = new Set<Group>();
  for (const configuration of configurations) {
    const group = groupOf(configuration);
    if (group === undefined) return [];
    groups.add(group);
  }
  return [...groups].sort();
}

function groupOf(configuration: string): Group | undefined {
  if (BUILD.test(configuration)) return 'build';
  if (TEST.test(configuration)) return 'test';
  return DEV.test(configuration) ? 'dev' : undefined;
}
