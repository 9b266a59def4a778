import type * as api from '../../model/api/insights-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { ServiceFinding } from '../../model/signal/release-facts.ts';
import type { Fields } from '../answer-check.ts';

/** The fields that are read. */
export const FINDINGS_FIELDS: Fields = ['packageKey', 'versionKey', 'requestedVersion', 'packageFindings'];

/** More of them are not read. */
const MAX_FINDINGS = 20;
const MAX_ALTERNATIVES = 5;
const MAX_TEXT = 60;
/** The longest name of npm. */
const MAX_NAME = 214;

/** What the service says of a version, once for each type. A finding without a type says nothing. */
export function readFindings({
  requestedVersion,
  packageFindings = [],
}: api.Findings): readonly ServiceFinding[] {
  const stated = [...(requestedVersion?.findings ?? []), ...packageFindings].slice(0, 2 * MAX_FINDINGS);
  const byType = Map.groupBy(stated, ({ type }) => textOf(type));
  byType.delete('');
  return [...byType].slice(0, MAX_FINDINGS).map(([type, [first]]) => {
    const { risk, lowUsageContext } = first ?? {};
    const names = lowUsageContext?.alternativePackages?.flatMap(({ name = '' }) =>
      name === '' || name.length > MAX_NAME ? [] : name,
    );
    return { type, risk: textOf(risk), ...defined({ alternatives: names?.slice(0, MAX_ALTERNATIVES) }) };
  });
}

/** A name of an enumeration; other texts are shortened to what is shown. */
function textOf(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);
}
