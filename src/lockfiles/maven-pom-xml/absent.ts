import type { Interpolated } from './interpolation.ts';
import { isImport, type Pom, type PomDependency } from './pom.ts';

/** A pom that may state versions, and did not come with the file. */
export interface AbsentPom {
  /** What it is to the file, with its coordinates. */
  readonly what: string;
  readonly line: number;
}

/** The ancestor and the imported poms that were not found. */
export function absentPoms(
  lineage: readonly Pom[],
  interpolate: (text: string) => Interpolated,
  found: ReadonlySet<PomDependency>,
): readonly AbsentPom[] {
  const parentLine = lineage[0]?.parent?.line ?? 1;
  const shown = (parts: readonly (string | undefined)[]) =>
    JSON.stringify(
      parts
        .map((part) => interpolate(part ?? '').text)
        .join(':')
        .slice(0, 200),
    );
  const parent = lineage.at(-1)?.parent;
  const ancestor =
    parent === undefined
      ? []
      : [
          {
            what: `the parent ${shown([parent.groupId, parent.artifactId, parent.version])}`,
            line: parentLine,
          },
        ];
  const imported = lineage.flatMap((pom, generation) =>
    pom.managed
      .filter((one) => isImport(one) && !found.has(one))
      .map(({ groupId, artifactId, version, line }) => ({
        what: `the imported ${shown([groupId, artifactId, version])}`,
        line: generation === 0 ? line : parentLine,
      })),
  );
  return [...ancestor, ...imported];
}
