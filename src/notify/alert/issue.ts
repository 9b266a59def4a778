import { createHash } from 'node:crypto';
import { endsAlert } from '../../model/scan/transition.ts';
import { type Alert, dedupKeyOf, detailsUrl, safeUrl, truncateText } from './alert.ts';
import { type ChangeText, leftOutText, notesOf, statusText, testMark, titleOf } from './message.ts';
import { type PackageGroup, packageGroups, whereOf } from './package-groups.ts';

const MAX_NAME = 200;
const MAX_TEXT = 500;

/**
 * The action of a tracker for an alert: `open` creates its issue, or comments on it and reopens it; `comment` comments on an existing
 * issue; `close` comments and closes it.
 */
export type IssueAction = 'open' | 'comment' | 'close';

/**
 * The action for an alert. The alert of one finding, or the end of a first scan, shows that nothing of its issue is
 * open.
 */
export function issueAction({ mode, firstScan, changes, totals }: Alert): IssueAction {
  if (firstScan === 'resolved') return 'close';
  const ends = changes.length > 0 && changes.every(({ transition }) => endsAlert(transition));
  if (!ends || totals.changes === 0) return totals.changes === 0 ? 'comment' : 'open';
  return mode === 'change' ? 'close' : 'comment';
}

/** The key of the issue, at most 42 characters: of the finding (mode `change`), of the advisory (mode `advisory`), or of the target. */
export function issueKey(alert: Alert): string {
  const finding = alert.totals.worst?.finding;
  if (alert.mode !== 'advisory' || finding === undefined) return dedupKeyOf(alert);
  const subject = finding.advisory?.id ?? `${finding.rule} ${finding.package.purl}`;
  return `lockhound-${createHash('sha256').update(subject).digest('hex').slice(0, 32)}`;
}

/** The title of the issue: the same for all of its alerts. */
export function issueTitle(alert: Alert, limit: number): string {
  const finding = alert.totals.worst?.finding;
  if (finding === undefined || (alert.mode !== 'change' && alert.mode !== 'advisory')) {
    return truncateText(titleOf(alert), limit);
  }
  const { name, version } = finding.package;
  const where = alert.mode === 'change' ? `${alert.target.id}: ` : '';
  return truncateText(
    testMark(alert, `${where}${name}@${version}: ${finding.title}`.replace(/\s+/g, ' ')),
    limit,
  );
}

/** The text of the issue or comment in Markdown, at most `limit` UTF-16 units. Text from packages is shown literally. */
export function issueMarkdown(alert: Alert, limit: number): string {
  const head = `**${literal(titleOf(alert), MAX_TEXT)}**`;
  const link = detailsUrl(alert);
  const foot = [
    literal(statusText(alert), MAX_TEXT),
    ...(link === undefined ? [] : [`[Details](${encoded(link)})`]),
  ].join(' · ');
  const tail = literal(leftOutText(alert.totals.changes, alert), MAX_TEXT * 5);
  const budget = limit - head.length - foot.length - tail.length - 20;
  const { groups, leftOut } = packageGroups(alert, budget, (group) => groupMarkdown(group).length + 2);
  const more = leftOut === 0 ? [] : [`… ${literal(leftOutText(leftOut, alert), MAX_TEXT * 5)}`];
  return [head, ...groups.map(groupMarkdown), ...more, foot].join('\n\n');
}

function groupMarkdown(group: PackageGroup): string {
  const { target, name, todo, changes } = group;
  const prefix = target === undefined ? '' : `${literal(target, MAX_NAME)}: `;
  const where = whereOf(group)
    .map((part) => literal(part, MAX_NAME))
    .join(' · ');
  return [
    `### ${prefix}${literal(name, MAX_NAME)}`,
    ...(where === '' ? [] : [where]),
    changes.map(changeMarkdown).join('\n'),
    ...(todo === undefined ? [] : [`**${literal(todo, MAX_TEXT)}**`]),
  ].join('\n\n');
}

function changeMarkdown(change: ChangeText): string {
  const { transition, severity, title, advisory } = change;
  const url = safeUrl(advisory?.url);
  const id = literal(advisory?.id ?? '', MAX_NAME);
  const link = url === undefined || id === '' ? id : `[${id}](${encoded(url)})`;
  const rest = notesOf(change).map((part) => literal(part, MAX_TEXT));
  const more = rest.length === 0 ? '' : `  \n  ${rest.join(' · ')}`;
  return `- **${transition}** ${severity}: ${literal(title, MAX_TEXT)} ${link}`.trimEnd() + more;
}

/** Text without active Markdown, HTML or mentions of users. */
function literal(text: string, limit: number): string {
  return truncateText(text.replace(/\s+/g, ' '), limit)
    .replace(/[\\`*_{}[\]<>#|~&!]/g, (character) => `\\${character}`)
    .replaceAll('@', '@\u200b');
}

/** Parentheses would end the target of a link. */
function encoded(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29');
}
