import type { RestDescription } from '../../src/discovery/description/description.ts';
import { checkValue, type SchemaProblem } from '../../src/discovery/request/schema-check.ts';

/** Checks an answer against a schema of the document, without formats: types, enumerations, patterns, and what `methodId` requires. */
export function checkAgainstSchema(
  document: RestDescription,
  schemaId: string,
  value: unknown,
  methodId?: string,
): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  checkValue(
    {
      ...{ document, methodId, formats: false, maxDepth: 200, place: [] },
      report: (path, message) => problems.push({ path, message }),
      isFull: () => problems.length >= 20,
    },
    { $ref: schemaId },
    value,
  );
  return problems;
}
