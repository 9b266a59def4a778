import type { Counts } from '../../../../src/model/api/lockhound-api.generated.ts';
import { Bar } from '../../parts/bar.tsx';
import { formatNumber } from '../../parts/format.ts';
import { Nothing } from '../../parts/notice.tsx';
import { SEVERITIES } from '../../parts/severity.tsx';

interface SeverityBarProps {
  readonly counts: Counts;
  /** Shown when nothing is counted. */
  readonly total: string;
  readonly hrefOf: (severity: string) => string;
}

/** Counts by severity: a bar for the eye, and a list for everything else. */
export function SeverityBar({ counts, total, hrefOf }: SeverityBarProps) {
  const shown = SEVERITIES.flatMap((severity) => {
    const count = counts[severity] ?? 0;
    return count === 0 ? [] : [{ severity, count }];
  });
  const sum = shown.reduce((all, { count }) => all + count, 0);
  if (sum === 0) return <Nothing>{total}</Nothing>;
  return (
    <>
      <Bar counts={counts} most={sum} />
      <ul class="legend">
        {shown.map(({ severity, count }) => (
          <li key={severity} class={`s-${severity}`}>
            {/* A filter cannot name what has no rating. */}
            <a href={severity === 'unrated' ? '/findings' : hrefOf(severity)}>
              <strong>{formatNumber(count)}</strong> <span>{severity}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
