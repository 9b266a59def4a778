import type { Exposure, ExposureGroup, TargetExposure } from '../../model/api/lockhound-api.generated.ts';
import { printable } from '../../model/printable.ts';
import { counted, fitLines, hang, palette, type TextOptions } from '../layout.ts';
import { labelsText } from '../packages.ts';

/** How long targets were exposed to an advisory, and the hours by group. */
export function exposureText(
  { advisories, versions, count, targets, groups }: Exposure,
  { params, ...options }: TextOptions & { readonly params: Readonly<Record<string, unknown>> },
): string {
  const paint = palette(options.colour);
  const name = printable(String(params['advisory'] ?? ''));
  if (count === 0)
    return fitLines([`No target is known to have held a version that ${name} affects.`], options);
  const what = `${paint.strong(counted(count, 'target'))} held versions that ${name} affects: ${versions.map(printable).join(', ')}`;
  const others = advisories.filter((id) => id !== params['advisory']);
  return fitLines(
    [
      ...targets.flatMap((one) => [
        `${paint.strong(printable(one.target))}${labelsText(one.labels, paint)}`,
        ...hang('  ', timesText(one), options.width),
      ]),
      ...(targets.length < count
        ? [paint.faint(`… and ${counted(count - targets.length, 'more target')}: --limit shows them`)]
        : []),
      '',
      ...hang('', what, options.width),
      ...(others.length === 0 ? [] : [`Also known as ${others.map(printable).join(', ')}`]),
      ...groups.flatMap((group) => hang('  ', groupText(group), options.width)),
    ],
    options,
  );
}

function timesText(one: TargetExposure): string {
  const { exposedAt, notKnownBefore, alertedAt, removedAt, isExposed } = one;
  const since =
    exposedAt === undefined ? `not known before ${notKnownBefore ?? 'its last scan'}` : `since ${exposedAt}`;
  const alerted = alertedAt === undefined ? 'alert not known' : `alerted ${alertedAt}`;
  const end = isExposed ? 'still there' : removedAt === undefined ? 'end not known' : `gone ${removedAt}`;
  return [since, alerted, end].join(', ');
}

function groupText(group: ExposureGroup): string {
  const { label, month, targets, exposed, alerted } = group;
  const hours = (median: number | undefined, p95: number | undefined) =>
    median === undefined ? 'not known' : `median ${median} h, 95 % within ${p95} h`;
  const before = hours(group.medianHoursBeforeAlert, group.p95HoursBeforeAlert);
  const after = hours(group.medianHoursAfterAlert, group.p95HoursAfterAlert);
  const who = label === undefined ? month : `${printable(label)} ${month}`;
  return `${who}: ${counted(targets, 'target')}, ${exposed} still exposed, ${alerted} alerted; before the alert ${before}; after it ${after}`;
}
