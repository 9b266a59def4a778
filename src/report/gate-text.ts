import type { CheckReason, PackageCheck, PackageChecks } from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';

/** The text of the gate's answers, each with its reasons and with what to add instead. */
export function checksText({ packages, counts }: PackageChecks, options: TextOptions): string {
  const paint = palette(options.colour);
  const { allow, warn, block } = counts;
  return fitLines(
    [
      ...packages.flatMap((one) => [...checkLines(one, paint, options), '']),
      `${counted(packages.length, 'package')}: ${allow} allowed, ${warn} with a warning, ${block} blocked.`,
    ],
    options,
  );
}

function checkLines(
  { requested, decision, version, reasons, meant, newestGood, mostUsed }: PackageCheck,
  paint: Palette,
  { width, verbose = false }: TextOptions,
): readonly string[] {
  const word = {
    allow: paint.good('allow'),
    warn: paint.severity('medium', 'warn '),
    block: paint.bad('block'),
  };
  const chosen = version === undefined || requested.endsWith(`@${version}`) ? '' : ` → ${printable(version)}`;
  const shown = reasons.filter((one) => verbose || one.decision !== 'allow');
  const allowed = reasons
    .filter((one) => !shown.includes(one))
    .map(({ code, advisory }) => (advisory === undefined ? code : `${printable(advisory)} (${code})`));
  const line = (name: string, text: string) => hang(`  ${paint.faint(name.padEnd(12))}`, text, width);
  return [
    `${word[decision]}  ${paint.strong(printable(requested))}${chosen}`,
    ...shown.flatMap((one) => line(one.code, reasonText(one))),
    ...(allowed.length === 0 ? [] : line('allowed', allowed.join(', '))),
    ...(meant.length === 0 ? [] : line('meant', meant.map(printable).join(', '))),
    ...(newestGood === undefined || newestGood.version === version
      ? []
      : line('newest good', printable(newestGood.version))),
    ...(mostUsed === undefined
      ? []
      : line('fleet', `${printable(mostUsed.version)} in ${counted(mostUsed.targets, 'target')}`)),
  ];
}

/** A reason as text without its decision. */
export function reasonText({ text, advisory, severity, suppressed }: CheckReason): string {
  const about = [advisory, severity === 'unrated' ? undefined : severity].filter((one) => one !== undefined);
  const head = advisory === undefined ? '' : `${about.map(printable).join(', ')}: `;
  return `${head}${printable(text)}${suppressed === true ? ' (suppressed)' : ''}`;
}
