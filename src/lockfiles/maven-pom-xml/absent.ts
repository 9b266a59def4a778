import { isImport } from './effective.ts';
import type { Interpolated } from './interpolation.ts';
import type { Pom } from './pom.ts';

/** A pom that may state versions, and did not come with the file. */
export interface AbsentPom {
  /** What it is to the file, with its coordinates. */
  readonly what: string;
  readonly line: number;
}

/** The ancestor that was not found, and all poms whose dependency management is imported: no path leads to these. */
export function absentPoms(
  lineage: readonly Pom[],
  interpolate: (text: string) => Interpolated,
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
    pom.managed.filter(isImport).map(({ groupId, artifactId, version, line }) => ({
      what: `the imported ${shown([groupId, artifactId, version])}`,
      line: generation === 0 ? line : parentLine,
    })),
  );
  return [...ancestor, ...imported];
}
