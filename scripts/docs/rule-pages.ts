import { OWN_RULES, RULES } from '../../src/policy/catalog.ts';
import type { Rule, RuleText } from '../../src/policy/rule.ts';
import { POINTS } from '../../src/policy/signals/suspicion.ts';

/** The pages of all rules, by their paths: all of their text is in the definitions. */
export function rulePages(): Readonly<Record<string, string>> {
  const pages = [
    ...RULES.map((rule) => [rule, headOf(rule)] as const),
    ...OWN_RULES.map((rule) => [rule, `${OWN_LEVEL}; \`policy.rules\` does not change it.`] as const),
  ];
  return Object.fromEntries(pages.map(([rule, head]) => [`docs/rules/${rule.name}.md`, pageOf(rule, head)]));
}

const OWN_LEVEL = 'Level `alert`, severity high';

function pageOf({ name, help }: RuleText, head: string): string {
  const parts = [
    `<!-- Written by \`npm run generate\` from the definition of the rule. -->`,
    `# ${name}`,
    head,
    `**Means:** ${help.means}`,
    `**How sure:** ${help.sure}`,
    `**What to do:** ${help.todo}`,
  ];
  return `${parts.map(wrapped).join('\n\n')}\n`;
}

const WIDTH = 150;

/** Lines of at most `WIDTH` characters; those of a list item are indented. */
function wrapped(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const indent = line.startsWith('- ') ? '  ' : '';
      const lines: string[] = [];
      for (const word of line.split(' ')) {
        const last = lines.at(-1);
        if (last === undefined) lines.push(word);
        else if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(`${indent}${word}`);
      }
      return lines.join('\n');
    })
    .join('\n');
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
  const points = POINTS[name] === undefined ? '' : ` ${pointsText(POINTS[name])}`;
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

/** The rules about Lockhound itself. */
export function ownRuleTable(): string {
  const rows = OWN_RULES.map(
    ({ name, description }) => `| [\`${name}\`](${name}.md) | alert | high | ${description} |`,
  );
  return ['| rule | level | severity | finding |', '|---|---|---|---|', ...rows, ''].join('\n');
}
