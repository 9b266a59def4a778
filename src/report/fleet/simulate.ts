import type { ReachedTarget, SimulatedAdvisory } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { columns, counted, fitLines, hang, type Palette, palette, type TextOptions } from '../layout.ts';
import { labelsText, notComparedLines } from '../packages.ts';

/** Targets, and versions of each, that are shown. */
const SHOWN_TARGETS = 50;
const SHOWN_PACKAGES = 5;

/** The text about what an advisory would reach: targets, then routes. `query`: as it was asked for. */
export function simulatedAdvisoryText(
  simulated: SimulatedAdvisory,
  query: string,
  options: TextOptions,
): string {
  const { targets, routes, notCompared } = simulated;
  const paint = palette(options.colour);
  const reached = targets.filter(({ packages }) => packages.length > 0);
  const hidden = targets.length - reached.length;
  const rest = reached.length - SHOWN_TARGETS;
  return fitLines(
    [
      ...reached.slice(0, SHOWN_TARGETS).flatMap((one) => targetLines(one, paint, options.width)),
      ...(rest > 0 ? [paint.faint(`… and ${rest} more targets (--json lists all)`)] : []),
      ...(reached.length > 0 ? [''] : []),
      `An advisory about ${printable(query)} (${weightText(simulated, paint)}) reaches ${paint.strong(counted(reached.length, 'target'))}.`,
      ...(hidden > 0
        ? [
            `${counted(hidden, 'target')} only ${hidden === 1 ? 'holds' : 'hold'} packages of that name that are never looked up.`,
          ]
        : []),
      ...levelLines(simulated),
      ...(routes.length === 0 ? ['No routes are configured (`notify`): nothing would be sent.'] : []),
      ...columns(
        routes.map((route) => [
          `  route ${printable(route.route)}`,
          route.mode,
          route.targets === 0 ? paint.faint('nothing') : counted(route.targets, 'target'),
        ]),
        { width: options.width },
      ),
      ...notComparedLines({ query, notCompared }),
    ],
    options,
  );
}

function targetLines(
  { target, labels, packages, routes, level }: ReachedTarget,
  paint: Palette,
  width: number,
): readonly string[] {
  const shown = packages.slice(0, SHOWN_PACKAGES).map(printable);
  const rest = packages.length - shown.length;
  const versions = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const to =
    routes.length === 0
      ? paint.faint(level === undefined ? 'to no route' : `to no route (level ${level})`)
      : `to ${routes.map(printable).join(', ')}`;
  return [
    `${paint.strong(printable(target))}${labelsText(labels, paint)}`,
    ...hang('  ', `${versions}  ${to}`, width),
  ];
}

function weightText({ severity, countsAs }: SimulatedAdvisory, paint: Palette): string {
  const text = countsAs === undefined ? severity : `${severity}, counted as ${countsAs}`;
  return paint.severity(severity, text);
}

function levelLines({ level, targets }: SimulatedAdvisory): readonly string[] {
  if (level === 'alert' || targets.some((one) => one.level === 'alert')) return [];
  return [`The rule vulnerability has level ${level} (\`policy.rules\`): nothing would be sent.`];
}
