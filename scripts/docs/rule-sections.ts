import type { SignalName } from '../../src/model/signal/signals.ts';
import { RULES } from '../../src/policy/catalog.ts';
import type { Rule } from '../../src/policy/rule.ts';
import { POINTS } from '../../src/policy/signals/score.ts';

type Sections = Readonly<Record<string, () => string>>;

/** The generated sections of the pages of all rules, and of their index: by the path of the page. */
export function ruleSections(): Readonly<Record<string, Sections>> {
  return {
    'docs/rules/index.md': { rules: () => ruleTable('') },
    ...Object.fromEntries(
      RULES.map((rule) => [`docs/rules/${rule.name}.md`, { rule: () => `${headOf(rule)}\n` }]),
    ),
  };
}

/** All rules of the catalog; `folder` leads from the page to the pages of the rules. */
export function ruleTable(folder: string): string {
  const rows = RULES.map(({ name, level, severity, description }) =>
    [`[\`${name}\`](${folder}${name}.md)`, level, severityText(severity), description].join(' | '),
  );
  return [
    '| rule | level | severity | finding |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

/** Level, severity and points of a rule by default. */
function headOf({ name, level, severity }: Rule): string {
  const points = Object.hasOwn(POINTS, name) ? ` ${pointsText(POINTS[name as SignalName])}` : '';
  return `Level \`${level}\`, severity ${severityText(severity)}.${points}`;
}

function severityText(severity: Rule['severity']): string {
  return severity ?? 'of the advisory';
}

/** The range of the points that the grades of a signal have. */
function pointsText(grades: Readonly<Record<string, number>>): string {
  const points = Object.values(grades);
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const range = least === most ? `${most}` : `${least} to ${most}`;
  return `A [signal](../signals.md#one-finding-with-reasons-and-a-score) of ${range} point${most === 1 ? '' : 's'}.`;
}
